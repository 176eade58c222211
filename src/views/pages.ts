import { html } from 'hono/html';
import type { z } from 'zod';
import { type Problem, problemTable } from '../core/problem.ts';
import { amount, counted, isWebAddress } from '../core/text.ts';
import { isRecordedTag } from '../document/record.ts';
import { withExamples } from '../listings/publishers.ts';
import vocabulary from '../listings/tag-vocabulary.json' with { type: 'json' };
import type { Feedback } from '../moderation/moderation.ts';
import { type Tool, toInputSchema } from '../tools/tool.ts';
import { fact, type Html, nameList, paste, tagLink, toCurl } from './html.ts';
import { type PageSite, toPage } from './layout.ts';
import { connectDossier } from './listing/page.ts';
import { plainSearchForm } from './search/form.ts';

export const contactLink = (contact: string) =>
  isWebAddress(contact)
    ? html`<a href="${contact}">${contact}</a>`
    : html`<a href="mailto:${contact}">${contact}</a>`;

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

/** Agents call the tool; people follow the link. */
const toSearch = 'search_agents';

/** Our words to machines, with what people can follow as links. */
export function withLinks({ config: { operatorContact, publicUrl } }: PageSite, text: string): Html {
  const contact = operatorContact || `${publicUrl}/feedback`;
  const parts = text.split(new RegExp(`(${RegExp.escape(contact)}|${toSearch}|(?<=Log index )\\d+)`));
  return html`${parts.map((part, at) => {
    if (at % 2 === 0) return part;
    if (part === contact) return contactLink(contact);
    return part === toSearch
      ? html`<a href="/agents">a search</a>`
      : html`<a href="/log/entry/${part}">${part}</a>`;
  })}`;
}

const isMissing = ({ code }: Problem) =>
  ['not_found', 'not_kept', 'unknown_handle', 'invalid_handle'].includes(code);

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
<p>${withLinks(site, facts.detail ?? '')} ${isMissing(problem) ? html`Check the spelling, or search the listings.` : facts.retry_after_s ? `Try again in ${counted(facts.retry_after_s, 'second')}.` : withLinks(site, next)}</p>
${
  fields.length > 0 &&
  html`
<ul>${fields.map(({ field, message }) => html`<li><code>${field}</code>: ${message}</li>`)}</ul>`
}
${nameList('Did you mean', facts.near)}${nameList('Less similar', facts.others)}
${isMissing(problem) || problem.code === 'listing_withdrawn' ? plainSearchForm(wanted) : ''}
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
<details id="errors"><summary><b>Error codes</b> and what to do next</summary>
<p>Each code has its HTTP status, what it means and what to do next.</p>
<dl class="facts wide codes">${Object.entries(problemTable).map(
  ([code, { status, title, next }]) => html`
<div id="${code}"><dt><code>${code}</code> <span class="note">${status === 200 ? 422 : status}</span></dt><dd>${title}. <span class="note">${next}</span></dd></div>`,
)}</dl>
</details>`;

const effectOf = ({ effects }: Tool): string => {
  if (effects.readOnlyHint) return 'Reads only.';
  const deletes = effects.destructiveHint ? ', and may delete' : '';
  return `Writes${deletes}.${effects.idempotentHint ? ' Repeating a call changes nothing more.' : ''}`;
};

const toolFold = ({ config: { publicUrl } }: PageSite, tool: Tool, example: object) => html`
<details id="${tool.name}"><summary><code>${tool.name}</code> <b>${tool.title}</b> <span class="note">${tool.effects.readOnlyHint ? 'reads' : 'writes'}</span></summary>
<p>${tool.description}</p>
<p class="note">${effectOf(tool)}</p>
${inputs(tool)}
${paste(toCurl(`${publicUrl}/api/tools/${tool.name}`, example, tool.needsCapability ? 'Authorization: Bearer YOUR_CAPABILITY' : ''))}
</details>`;

const exampleOf = ({ example }: Tool, handles: ReadonlyMap<string, string>): object =>
  JSON.parse(withExamples(JSON.stringify(example), handles)) as object;

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
<h1>Tools</h1>
<p class="lead">Each tool can be called over MCP at <code>${site.config.publicUrl}/api/mcp</code>, or as plain JSON. Open one for its inputs and an example. Schemas in full: <a href="/openapi.json">openapi.json</a>. For agents: <a href="/llms.txt">llms.txt</a>.</p>
<section class="tools">${tools.map((tool) => toolFold(site, tool, exampleOf(tool, handles)))}
${errorCodes}</section>
<section aria-labelledby="connect"><h2 id="connect">Connect</h2>
${connectDossier(site.config.publicUrl)}</section>`,
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
