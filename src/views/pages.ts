import { html } from 'hono/html';
import type { z } from 'zod';
import { whatClaimedMeans } from '../claims/methods.ts';
import { howToOptOut, optOutRules } from '../claims/rules.ts';
import { type Problem, problemTable } from '../core/problem.ts';
import { amount, counted, isWebAddress } from '../core/text.ts';
import type { ImportReport, StatusDocument } from '../document/listing-document.ts';
import { isRecordedTag } from '../document/record.ts';
import { ownTerms } from '../document/registry/ard.ts';
import { rulesOfEvidence } from '../document/sentences.ts';
import vocabulary from '../listings/tag-vocabulary.json' with { type: 'json' };
import type { Feedback } from '../moderation/moderation.ts';
import { type Tool, toInputSchema } from '../tools/tool.ts';
import { day, fact, type Html, minute, nameList, paste, tagLink, toCurl } from './html.ts';
import { countsOf, every, importState } from './import-state.ts';
import { type PageSite, toPage } from './layout.ts';
import { connectDossier } from './listing/page.ts';
import { plainSearchForm } from './search/form.ts';

const contactLink = (contact: string) =>
  isWebAddress(contact)
    ? html`<a href="${contact}">${contact}</a>`
    : html`<a href="mailto:${contact}">${contact}</a>`;

const notSaid = (what: string) => html`The operator has not said ${what}.`;

const privacyBlock = html`
<section aria-labelledby="privacy"><h2 id="privacy">Privacy and removal</h2>
<ul>
<li>No account, no cookies, no third-party scripts or images. Addresses of callers are kept in memory for rate limits. The database stores an address only as an HMAC, under a key that is deleted after the day. Networks that the operator blocked are stored as they are. A proxy or host in front of this service may log addresses.</li>
<li>Feedback is stored, is read by the operator only, and is not published.</li>
<li>Ratings, responses and claims are public and recorded in an <a href="/log">append-only log</a>. A source can withdraw its rating. The operator can erase what a rating or response says, and a public entry then says that it was erased.</li>
<li>If the operator hides, withdraws, voids, revokes, blocks or erases something, the log has an entry with the reason, and <a href="/transparency.json">transparency.json</a> counts the action. If this affects a page, the page shows a statement. To appeal, use the <a href="/feedback">feedback form</a>, or the contact above if there is one.</li>
<li>To report a listing or a rating, or to ask for something to be removed, use the <a href="/feedback?category=report">feedback form</a>. Publishers can <a href="#claimed">withdraw a listing</a> themselves.</li>
</ul></section>`;

function quarantineBlock({ records, reasons, newest }: StatusDocument['quarantine']) {
  if (records === 0) return html`<h3>Quarantined records</h3><p>None.</p>`;
  return html`
<h3>Quarantined records</h3>
<p>${counted(records, 'record')} could not be read. Such records do not stop an import. A record is read again when the registry sends it again.</p>
<table class="counts"><thead><tr><th scope="col">Reason</th><th scope="col">Records</th></tr></thead>
<tbody>${reasons.map((row) => html`<tr><th scope="row">${row.reason}</th><td>${amount(row.records)}</td></tr>`)}</tbody></table>

<details><summary>The newest of these records</summary><ul class="plain">${newest.map(({ name, version, reason, seen_at }) => html`<li><code class="foreign">${name}</code> <span class="foreign">${version}</span>: ${reason} (${day(seen_at)})</li>`)}</ul></details>`;
}

function lastImport(run: ImportReport) {
  const { kind, source, started_at, finished_at } = run;
  const took = finished_at && counted((Date.parse(finished_at) - Date.parse(started_at)) / 1000, 'second');
  const counts = countsOf(run);
  return html`
<h3>Last completed import</h3>
<p>${kind === 'full' ? 'Full' : 'Incremental'}, ${minute(started_at)} to ${finished_at ? html`${minute(finished_at)}, ${took}` : '-'}, from <code>${source}</code>.</p>
${
  counts.length === 0
    ? html`<p>The registry sent nothing.</p>`
    : html`<table class="counts"><thead><tr><th scope="col">Counted</th><th scope="col">Number</th></tr></thead>
<tbody>${counts.map(([name, count]) => html`<tr><th scope="row">${name}</th><td>${amount(count)}</td></tr>`)}</tbody></table>`
}`;
}

const claims = ({ claimFile }: PageSite['config']) => {
  const [before, after] = howToOptOut(claimFile);
  return html`
<section aria-labelledby="claimed">
<h2 id="claimed">What claimed means</h2>
<p>${whatClaimedMeans(claimFile)} If the namespace is an account and a repository is recorded, the page of the listing shows whether the account also owns the repository.</p>
<p>A claim is suspended if two checks a day or more apart find no proof of it. It is suspended if its location cannot be read for 30 days, and checks fail on at least ten of these days. It is also suspended if the registry or the publisher withdraws the listing, or if its last capability ends. A claim by the recorded repository is suspended if the record names another repository.</p>
<p>${before}<code>optout &lt;handle&gt;</code>${after}</p>
<ul>${optOutRules.map((effect) => html`<li>${effect}</li>`)}</ul>
</section>`;
};

const notSample = 'Listings of the sample are not checked.';

const observerState = ({ observe, interval_s, vantage, ...seen }: StatusDocument['observer']) => {
  const how = {
    on: html`Listings are checked about every ${every(interval_s)}, from <code>${vantage}</code>. ${notSample}`,
    asked: html`A listing is checked, from <code>${vantage}</code>, when somebody other than a crawler reads it, but at most about every ${every(interval_s)}. A listing whose record has changed can be checked sooner. Limits can delay a check. ${notSample}`,
    off: 'This service does not check listings by itself (OBSERVE is off); its operator can start checks from the command line.',
  }[observe];
  return seen.last_observed_at
    ? html`${how} Listings observed so far: ${amount(seen.listings_observed)}; last observation: ${minute(seen.last_observed_at)}.`
    : html`${how} No listing has been observed yet.`;
};

export const toAboutPage = (site: PageSite, status: StatusDocument): Html =>
  toPage(site, {
    title: 'About',
    description: 'The rules of evidence, what a claim means, and how fresh the listings are.',
    path: '/about',
    body: html`
<h1>About ${site.config.serviceName}</h1>
<p class="lead">${site.config.serviceName} tells agents and people what is known about an agent service before they use or pay for it: who published it, where it runs, what it asks for, what it costs, what changed, and what other callers experienced. Every fact has a source and a date; the facts of a record share one date.</p>
<p>The listings come from MCP registries. Until an import from a registry has completed, listings of the sample that ships with this service may be shown. ${site.config.serviceName} adds its own checks, and the ratings that claimed listings give each other. It does not mix recorded facts, checks and ratings, and it says what is not known. ${site.config.serviceName} does not score or recommend services: you or your agent decide.</p>

<section aria-labelledby="operator"><h2 id="operator">Who runs this service</h2>
<dl class="facts wide">
<div><dt>Operator</dt><dd>${site.config.operatorName || notSaid(`who runs this instance of ${site.config.serviceName}`)}</dd></div>
<div><dt>Contact</dt><dd>${site.config.operatorContact ? contactLink(site.config.operatorContact) : html`The operator has given no contact. The <a href="/feedback">feedback form</a> is read by the operator.`}</dd></div>
<div><dt>Imprint and terms</dt><dd>${site.config.imprintUrl ? html`<a href="${site.config.imprintUrl}">${site.config.imprintUrl}</a>` : notSaid('where an imprint or terms of use are')}</dd></div>
</dl></section>
<section aria-labelledby="rules"><h2 id="rules">Rules of evidence</h2><ol>${rulesOfEvidence.map((rule) => html`<li>${rule}</li>`)}</ol></section>
${claims(site.config)}
<section aria-labelledby="terms"><h2 id="terms">Terms for programs</h2><p>Entries of Agentic Resource Discovery and signed statements link here for the meaning of their terms.</p>
<dl class="facts wide">${Object.entries(ownTerms).map(([term, means]) => html`<div id="${term}"><dt><code>${term}</code></dt><dd>${means}</dd></div>`)}</dl></section>

<section aria-labelledby="import">
<h2 id="import">Import report</h2>
<p>${counted(status.listings.count, 'listing')}.</p>
${importState(status)}
${status.import.last_completed ? lastImport(status.import.last_completed) : ''}
${quarantineBlock(status.quarantine)}
</section>

<section aria-labelledby="observer">
<h2 id="observer">The observer</h2>
<p>${observerState(status.observer)}</p>
<p>The observer asks a recorded endpoint what it is and which tools it lists, as an MCP client would, without credentials. It never calls a tool and never pays. It sends one request at a time to each host, or two while an event stream is open. It obeys <code>Retry-After</code> for at most a day. It obeys <code>robots.txt</code> for the name <code>Dossier</code>, except at repository hosts, package registries and the source of advisories. Its requests to endpoints and other hosts of publishers are signed; the key is <a href="/.well-known/http-message-signatures-directory">published</a>.</p>
<p>To stop requests to the endpoints, websites and package files of a listing, put the line <code>observe: no</code> into <code>${site.config.claimFile}</code> at the root of the default branch of its recorded repository.</p>
</section>
<section aria-labelledby="data"><h2 id="data">Where the data comes from</h2><p>Each listing names its source. The texts of an imported listing are its publisher’s. ${site.config.serviceName} is not affiliated with any registry. The page of a listing that its registry removed answers 410, without the publisher’s text. That is not a verdict about the listing.</p></section>
${privacyBlock}`,
  });

export interface TagCount {
  readonly tag: string;
  readonly listings: number;
}

const subjects: ReadonlySet<string> = new Set(Object.keys(vocabulary));
const groups = [
  {
    id: 'subjects',
    title: 'Subjects',
    why: 'A word of our vocabulary appears in the title or the description.',
    includes: (tag: string) => subjects.has(tag),
  },
  {
    id: 'facts',
    title: 'Recorded facts',
    why: 'The record names a remote endpoint, a transport or a kind of package.',
    includes: isRecordedTag,
  },
  {
    id: 'keywords',
    title: 'Publishers’ keywords',
    why: 'Chosen by publishers for their listings; not checked by Dossier.',
    includes: (tag: string) => !isRecordedTag(tag) && !subjects.has(tag),
  },
] as const;

export const tagCloud = (tags: readonly TagCount[]): Html =>
  html`<ul class="tag-list">${tags.map(({ tag, listings }) => html`<li>${tagLink(tag)} <span class="count">${amount(listings)}</span></li>`)}</ul>`;

function group({ id, title, why, includes }: (typeof groups)[number], tags: readonly TagCount[]) {
  const shown = tags.filter(({ tag }) => includes(tag));
  if (shown.length === 0) return '';
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><p class="note">${why}</p>${tagCloud(shown)}</section>`;
}

export const toTagsPage = (site: PageSite, tags: readonly TagCount[]): Html =>
  toPage(site, {
    title: 'Tags',
    description:
      'Agent services by subject, recorded fact and publishers’ keyword, with the number of listings.',
    path: '/tags',
    body: html`
<h1>Tags</h1>
<p class="lead">The registry has no tags of its own. Subjects and recorded facts are derived from records; keywords are the publishers’. The page of a listing names the reason for each tag. The number beside a tag counts the listings with that tag.</p>
${tags.length === 0 ? html`<p>No tags yet.</p>` : groups.map((one) => group(one, tags))}`,
  });

export const toMcpPage = (site: PageSite): Html =>
  toPage(site, {
    title: 'Connect over MCP',
    indexed: false,
    body: html`
<h1>Connect over MCP</h1>
<p>This address, <code>${site.config.publicUrl}/api/mcp</code>, is an MCP endpoint (Streamable HTTP, without sessions). It is for MCP clients; no account and no key are needed to read.</p>
${connectDossier(site.config.publicUrl)}
<p>Ask your agent to weigh a listing before you pay for it. <a href="/tools">All tools</a>, <a href="/llms.txt">instructions for agents</a>.</p>`,
  });

function detail({ config: { operatorContact, publicUrl } }: PageSite, { facts }: Problem) {
  const address = operatorContact || `${publicUrl}/feedback`;
  const [before = '', ...after] = (facts.detail ?? '').split(address);
  return after.length > 0 ? html`${before}${contactLink(address)}${after.join(address)}` : before;
}

const isMissing = ({ code }: Problem) => ['not_found', 'unknown_handle', 'invalid_handle'].includes(code);

/** `wanted` fills the search field if something was not found. */
export function toProblemPage(site: PageSite, problem: Problem, wanted = ''): Html {
  const { title, next } = problemTable[problem.code];
  const { facts } = problem;
  const { fields = [] } = facts;
  return toPage(site, {
    title,
    indexed: false,
    body: html`
<section class="problem">
<p class="eyebrow">${problem.status} <code>${problem.code}</code></p>
<h1>${title}</h1>
<p>${detail(site, problem)} ${isMissing(problem) ? html`Check the spelling, or search the listings.` : facts.retry_after_s ? `Try again in ${counted(facts.retry_after_s, 'second')}.` : next}</p>
${
  fields.length > 0 &&
  html`
<ul>${fields.map(({ field, message }) => html`<li><code>${field}</code>: ${message}</li>`)}</ul>`
}
${nameList('Did you mean', facts.near)}${nameList('Less similar', facts.others)}
${isMissing(problem) ? plainSearchForm(wanted) : ''}
<p><a href="/agents">All listings</a>, or <a href="/">home</a>.</p>
</section>`,
  });
}

const formsOf = ({ anyOf = [] }: z.core.JSONSchema.BaseSchema) => anyOf.map(({ type }) => type).join(' | ');

const input = ([name, shown]: [string, z.core.JSONSchema.BaseSchema], required: readonly string[]) => html`
<div><dt><code>${name}</code></dt><dd>${shown.description} <span class="note">${shown.enum?.map(String).join(' | ') ?? shown.type ?? formsOf(shown)}${required.includes(name) ? ', required' : ''}</span></dd></div>`;

function inputs(tool: Tool) {
  const { properties = {}, required = [] }: z.core.JSONSchema.BaseSchema = toInputSchema(tool.input);
  const listed = Object.entries(properties as Record<string, z.core.JSONSchema.BaseSchema>);
  return listed.length === 0
    ? html`<p>No input.</p>`
    : html`<dl class="facts wide">${listed.map((property) => input(property, required))}</dl>`;
}

const errorCodes = html`
<section aria-labelledby="errors">
<h2 id="errors">Error codes</h2>
<p>Each code has its HTTP status, what it means and what to do next.</p>
<dl class="facts wide codes">${Object.entries(problemTable).map(
  ([code, { status, title, next }]) => html`
<div id="${code}"><dt><code>${code}</code> <span class="note">${status === 200 ? 422 : status}</span></dt><dd>${title}. <span class="note">${next}</span></dd></div>`,
)}</dl>
</section>`;

const exampleOf = ({ example }: Tool, handles: ReadonlyMap<string, string>): object =>
  JSON.parse(
    [...handles].reduce(
      (text, [documented, handle]) => text.replaceAll(documented, handle),
      JSON.stringify(example),
    ),
  ) as object;

/** `handles` maps those of the examples to listed ones. */
export const toToolsPage = (
  site: PageSite,
  tools: readonly Tool[],
  handles: ReadonlyMap<string, string>,
): Html =>
  toPage(site, {
    title: 'Tools',
    description:
      'The operations that agents and scripts can use, over MCP and as plain JSON, with their inputs and an example.',
    path: '/tools',
    body: html`
<div class="with-nav">
<header>
<h1>Tools</h1>
<p class="lead">Each tool can be called over MCP at <code>${site.config.publicUrl}/api/mcp</code>, or as plain JSON.</p>
${connectDossier(site.config.publicUrl)}
<p>Schemas in full: <a href="/openapi.json">openapi.json</a>. For agents: <a href="/llms.txt">llms.txt</a>.</p>
</header>
<nav class="on-page" aria-label="Tools"><ul>${tools.map(({ name }) => html`<li><a href="#${name}"><code>${name}</code></a></li>`)}<li><a href="#errors">Error codes</a></li></ul></nav>
<div class="parts">${tools.map(
      (tool) => html`
<section class="tool" aria-labelledby="${tool.name}">
<h2 id="${tool.name}"><code>${tool.name}</code> ${tool.title}</h2>
<p>${tool.description}</p>
<p class="note">${
        tool.effects.readOnlyHint
          ? 'Reads only.'
          : `Writes${tool.effects.destructiveHint ? ', and may delete' : ''}.${tool.effects.idempotentHint ? ' Repeating a call changes nothing more.' : ''}`
      }</p>
${inputs(tool)}
${paste(toCurl(`${site.config.publicUrl}/api/tools/${tool.name}`, exampleOf(tool, handles), tool.needsCapability ? 'Authorization: Bearer YOUR_CAPABILITY' : ''))}
</section>`,
    )}
${errorCodes}</div>
</div>`,
  });

/** All that a report says, and no action. */
export const toReportsPage = (reports: readonly Feedback[], total: number): string =>
  String(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Open reports</title></head>
<body><h1>Open reports</h1>
<p>${counted(total, 'open report')}${total > reports.length ? `, of which the newest ${reports.length} are shown` : ''}. A report changes nothing by itself: act with <code>dossier moderate</code>, then <code>dossier reports close ID</code>.</p>
<ol>${reports.map(
    ({ id, received_at, handle, rating_id, message, contact }) => html`
<li><dl>${fact('Received', received_at)}${fact('Listing', handle)}${fact('Rating', rating_id)}${fact('Contact', contact)}${fact('Id', id)}</dl>
<p style="white-space: pre-wrap">${message}</p></li>`,
  )}</ol></body></html>`);
