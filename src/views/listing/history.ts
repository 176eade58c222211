import { html } from 'hono/html';
import type { TextPart } from '../../core/difference/word-difference.ts';
import { asMembers, ownMember } from '../../core/json.ts';
import { cleanText, dayText, nameHidden } from '../../core/text.ts';
import { say } from '../../core/words.ts';
import {
  changedOf,
  changedWords,
  countOf,
  type FoldedChange,
  foldedOf,
  goneWords,
  logIndexOf,
  memberChangesOf,
  memberWords,
  wordsOf,
} from '../../document/answers/history.ts';
import { type HistoryEvent, historyKinds, historyKindTexts } from '../../document/answers/history-events.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { copyLacksSentence } from '../../document/record.ts';
import {
  nameOf,
  type Surface,
  type SurfaceMember,
  type SurfaceTool,
  surfaces,
} from '../../observations/asked/endpoint/surface.ts';
import type { ListedList, readTools, ShownChange } from '../../observations/known/changes/history.ts';
import { changedName, type MemberChange } from '../../observations/known/kinds/lists/member-changes.ts';
import { surfaceOf } from '../../observations/known/kinds.ts';
import type { OverTime } from '../../tools/find/pictures.ts';
import type { readHistoryPage } from '../../tools/get-history.ts';
import { day, foreignLink, type Html, pagePath, paste, toHtml } from '../html.ts';
import type { PageSite } from '../layout.ts';
import { axisPicture, eventId } from '../pictures/axis.ts';
import { rowTable } from '../tables.ts';
import { feedLinks, toListingPart } from './tabs.ts';

const dayField = (name: 'since' | 'until', label: string, value: string | undefined) => html`
<label>${label} <input type="date" name="${name}" value="${value?.slice(0, 'YYYY-MM-DD'.length)}"></label>`;

/** With both days, the page says what differs between them. */
const historyFilter = (
  handle: string,
  { kind = '', since, until }: Readonly<Record<string, string>>,
): Html => html`
<form class="filter" method="get" action="${pagePath(handle)}/history">
<label>About <select name="kind"><option value="">everything</option>${historyKinds.map((one) => html`<option value="${one}"${one === kind ? html` selected` : ''}>${historyKindTexts[one].text}</option>`)}</select></label>${dayField('since', 'From', since)}${dayField('until', 'to the end of', until)}
<button type="submit" class="quiet">Show</button></form>`;

const part = ({ text, change }: TextPart) =>
  change === 'removed'
    ? html`<del>${text}</del>`
    : change === 'added'
      ? html`<ins>${text}</ins>`
      : html`${text}`;

const memberChangeItem = (item: MemberChange, texts: ShownChange['texts'] & object) => html`
<li>${toHtml(memberWords(item, texts))}${texts.map(({ member, difference }) => html`<p><span class="note foreign">${nameHidden(member)}</span>: <span class="foreign difference">${difference.map(part)}</span></p>`)}</li>`;

function change(folded: FoldedChange, today: string): Html {
  const { change: changed } = folded;
  const { texts = [] } = changed;
  const members = memberChangesOf(changed).map((item) =>
    memberChangeItem(
      item,
      texts.filter((one) => changedName(one) === changedName(item)),
    ),
  );
  const more = countOf(changed) - members.length;
  const surface = surfaceOf(changed.kind);
  return html`<p>${toHtml(say`${changedWords(changed, 0)}${goneWords(folded)}`, today)}</p>${members.length > 0 && html`<ul>${members}${surface && more > 0 && html`<li>${toHtml(surface.count(more))} more</li>`}</ul>`}`;
}

const entry = (log_index: unknown) =>
  typeof log_index === 'number' &&
  html` <span class="note"><a href="/log/entry/${log_index}">log index ${log_index}</a></span>`;

/** Of several events at one time, the first has the id. */
const eventItem = (event: HistoryEvent, kind: string | undefined, today: string, isNew: boolean) => html`
<li${isNew && html` id="${eventId(event.at)}"`}>${day(event.at)}${entry(logIndexOf(event))}
${foldedOf(event).map((folded) => change(folded, today))}
${wordsOf(event, kind).map((words) => html`<p>${toHtml(words, today)}</p>`)}</li>`;

type ShownHistory = Awaited<ReturnType<typeof readHistoryPage>> & { readonly overTime: OverTime | undefined };

/** `asked` are the filters. */
export function toHistoryPage(
  site: PageSite,
  listing: ListingDocument,
  shown: ShownHistory,
  asked: Readonly<Record<string, string>>,
): Html {
  const { events, until, differs = [], unchanged, no_change, next_cursor, overTime } = shown;
  const path = `${pagePath(listing.handle)}/history`;
  // Events without words, such as a check that stopped looking for a kind, are only in the JSON.
  const told = events.filter((one) => changedOf(one).length + wordsOf(one, asked.kind).length > 0);
  return toListingPart(site, listing, 'History', {
    description: `What changed about ${listing.handle} and when, with links to entries of the log.`,
    body: html`
<p class="lead">What changed, newest first. A value changed at some time between the last check that saw the old value and the first check that saw the new one.</p>
${historyFilter(listing.handle, asked)}
${until && html`<p class="notice">${toHtml(until)}</p>`}${differs.length > 0 && html`<ul>${differs.map((words) => html`<li>${toHtml(words)}</li>`)}</ul>`}
${[no_change, shown.failed, shown.last_check, shown.unmoved, shown.horizon, shown.compared].map((words) => words && html`<p>${toHtml(words)}</p>`)}
${overTime && axisPicture(listing, overTime)}
${told.length > 0 && html`<ol class="timeline">${told.map((event, at) => eventItem(event, asked.kind, listing.evidence_snapshot_date, told.findIndex((one) => one.at === event.at) === at))}</ol>`}
${told.length === 0 && !next_cursor && !no_change && html`<p>Dossier has recorded no ${Object.keys(asked).length > 0 ? 'such change' : 'change'} of this listing.${listing.versions.length > 1 && html` Its <a href="${pagePath(listing.handle)}/versions">versions</a> are on a page of their own.`}</p>`}
${next_cursor && html`<p><a href="${path}?${new URLSearchParams({ ...asked, cursor: next_cursor }).toString()}">Older changes</a></p>`}
${unchanged && html`<p>${toHtml(unchanged)}</p>`}
<p class="note">The same as <a href="${path}.json">JSON</a>. ${feedLinks(listing.handle)}</p>`,
  });
}

/** Tools are stored as sent; this removes characters that hide or reorder others. */
const text = (value: unknown) => (typeof value === 'string' ? cleanText(value).text : '');

/** A publisher's annotations promise nothing. */
const hintTexts: Readonly<Record<string, readonly [isTrue: string, isFalse: string]>> = {
  readOnlyHint: ['read-only', 'may change something'],
  destructiveHint: ['destructive', 'destroys nothing'],
  idempotentHint: ['repeating it changes nothing more', 'repeating it acts again'],
  openWorldHint: ['reaches other services', 'reaches no other service'],
};

const hints = ({ annotations }: SurfaceTool) =>
  Object.entries(asMembers(annotations)).flatMap(([name, value]) => {
    const [isTrue, isFalse] = ownMember(hintTexts, name) ?? [];
    return typeof value === 'boolean' ? [(value ? isTrue : isFalse) ?? []].flat() : [];
  });

const inputs = ({ inputSchema }: SurfaceMember): string[] =>
  Object.keys(asMembers(asMembers(inputSchema).properties))
    .slice(0, 50)
    .map(text);

const most_parameters = 50;
const longest = 300;

/** Of the schema as sent, whatever it is. */
const parameters = ({ inputSchema }: SurfaceMember) => {
  const { properties, required } = asMembers(inputSchema);
  const needed: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(asMembers(properties))
    .slice(0, most_parameters)
    .map(([name, schema]) => {
      const { type, description } = asMembers(schema);
      return [name, [type].flat().join(' or '), needed.includes(name) ? 'yes' : 'no', description] as const;
    });
};

const parameterTable = (tool: SurfaceTool) => {
  const all = parameters(tool);
  const cell = (value: unknown) => {
    const shown = text(value);
    return shown.length > longest ? `${shown.slice(0, longest).toWellFormed()} …` : shown;
  };
  const foreign = (value: unknown) => cell(value) && html`<span class="foreign">${cell(value)}</span>`;
  return all.length === 0
    ? html`<p class="note">It takes no input that its schema names.</p>`
    : rowTable(
        ['Parameter', 'Type', 'Needed', 'Description'],
        all.map(([name, type, needed, description]) => [
          html`<code class="foreign">${cell(name)}</code>`,
          foreign(type),
          needed,
          foreign(description),
        ]),
      );
};

const hintWords = (tool: SurfaceTool) =>
  hints(tool).length > 0
    ? html`the publisher states: ${hints(tool).join(', ')}`
    : 'the publisher states nothing about what a call changes';

const toolItem = (tool: SurfaceTool): Html => html`
<li><h3><span class="foreign">${text(tool.name)}</span> <span class="note">${hintWords(tool)}</span></h3>
<p class="foreign">${text(tool.description) || 'No description was sent.'}</p>
${parameterTable(tool)}</li>`;

/** In the form of a tool, as comparisons use it. */
const memberItem = (member: SurfaceMember, surface: Surface): Html => {
  const described = surface.asTool(surface.withoutForm(member));
  const taken = inputs(described);
  return html`
<li><h3 class="foreign">${text(nameOf(member, surface))}</h3>
<p class="foreign">${text(described.description) || 'No description was sent.'}</p>${
    taken.length > 0 &&
    html`
<p class="note">Takes: <span class="foreign">${taken.join(', ')}</span>.</p>`
  }</li>`;
};

const sameSince = (first_seen_at: string, observed_at: string) =>
  dayText(first_seen_at) === dayText(observed_at)
    ? html`seen on ${day(observed_at)}`
    : html`the same since ${day(first_seen_at)}, last seen on ${day(observed_at)}`;

const listedSection = (
  surface: Surface,
  { endpoint, reason, digest, first_seen_at, observed_at, vantage, names = [] }: ListedList,
  members: readonly SurfaceMember[] | undefined,
): Html => html`
<section class="evidence">
<h2>${foreignLink(endpoint)}${surface.name !== 'tools' && html`: ${toHtml(surface.title)}`}</h2>
${
  first_seen_at && observed_at
    ? html`<p>${members ? toHtml(surface.count(members.length)) : html`A set of ${toHtml(surface.title)}`}, ${sameSince(first_seen_at, observed_at)} from ${vantage}. Digest of the set: <code class="digest">${digest}</code></p>
${
  members
    ? html`<ol class="records">${members.map((one) => (surface.name === 'tools' ? toolItem(one) : memberItem(one, surface)))}</ol>`
    : html`<p>${reason}</p>
<p class="foreign">${names.join(', ')}</p>`
}`
    : html`<p>${reason}</p>`
}
</section>`;

export const toToolsPage = (
  site: PageSite,
  listing: ListingDocument,
  { handle, statement, endpoints, besides = [] }: Awaited<ReturnType<typeof readTools>>,
): Html =>
  toListingPart(site, listing, 'Tools', {
    description: `The tools that the endpoints of ${handle} listed to this service, with dates, and how to compare them with what you are shown.`,
    body: html`
<p class="lead">${statement}</p>
${
  endpoints.length > 0
    ? endpoints.map((one) => listedSection(surfaces.tools, one, one.tools))
    : html`<p>${listing.remotes.length > 0 ? 'Dossier has not checked the endpoints of this listing.' : (copyLacksSentence(listing.copy_lacks, 'endpoint') ?? 'The listing records no endpoint, and Dossier runs no packages, so it has seen no tools of this listing.')}</p>`
}
${besides.map((one) => listedSection(surfaces[one.list], one, one.members))}
${
  endpoints.some(({ digest }) => digest) &&
  html`
<h2 id="compare">Compare with what you are shown</h2>
<p>Send the tools that your own client lists; the answer says which differ, and since when.</p>
${paste(`curl ${site.config.publicUrl}/api/tools/check_surface -H 'content-type: application/json' -d '{"handle": "${listing.handle}", "tools": [ ... ]}'`)}`
}`,
  });
