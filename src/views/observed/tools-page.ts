import { html } from 'hono/html';
import type { ListedTools, ListingTools } from '../../evidence/observation/listed-tools.ts';
import { asMembers, own } from '../../evidence/text/json-object.ts';
import { cleanText } from '../../evidence/text/sanitize.ts';
import { day, foreignLink, type Html, pagePath, paste } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';

type Tool = ListedTools['tools'][number];

/** Tools are stored as they were sent, for their digest; a page shows no character that hides or reorders others. */
const text = (value: unknown) => (typeof value === 'string' ? cleanText(value).text : '');

/** What the publisher states about a call, in words; hints promise nothing. */
const hintTexts: Readonly<Record<string, readonly [isTrue: string, isFalse: string]>> = {
  readOnlyHint: ['changes nothing', 'may change something'],
  destructiveHint: ['may destroy something', 'destroys nothing'],
  idempotentHint: ['repeating it changes nothing more', 'repeating it acts again'],
  openWorldHint: ['reaches other services', 'reaches no other service'],
};

const hints = ({ annotations }: Tool) =>
  Object.entries(asMembers(annotations)).flatMap(([name, value]) => {
    const [isTrue, isFalse] = own(hintTexts, name) ?? [];
    return typeof value === 'boolean' ? [(value ? isTrue : isFalse) ?? []].flat() : [];
  });

const inputs = ({ inputSchema }: Tool): string[] => {
  const { properties } = (typeof inputSchema === 'object' && inputSchema !== null ? inputSchema : {}) as {
    properties?: unknown;
  };
  return typeof properties === 'object' && properties !== null
    ? Object.keys(properties).slice(0, 50).map(text)
    : [];
};

const toolItem = (tool: Tool) => html`
<li><h3 class="foreign">${text(tool.name)}</h3>
<p class="foreign">${text(tool.description) || 'No description was sent.'}</p>
<p class="note">Takes: <span class="foreign">${inputs(tool).join(', ') || 'no input that its schema names'}</span>.${hints(tool).length > 0 ? html` The publisher states: ${hints(tool).join('; ')}.` : ' The publisher states nothing about what a call changes.'}</p></li>`;

const endpointBlock = ({
  endpoint,
  reason,
  digest,
  first_seen_at,
  observed_at,
  vantage,
  tools,
}: ListedTools) => html`
<section class="evidence">
<h2>${foreignLink(endpoint)}</h2>
${
  first_seen_at && observed_at
    ? html`<p>${reason ? 'A set of tools' : tools.length === 1 ? '1 tool' : `${tools.length} tools`}, the same since ${day(first_seen_at)}, last seen on ${day(observed_at)} from ${vantage}. Digest of the set: <code class="digest">${digest}</code></p>
${reason ? html`<p>${reason}</p>` : html`<ol class="records">${tools.map(toolItem)}</ol>`}`
    : html`<p>${reason}</p>`
}
</section>`;

const howToCompare = ({ handle }: ListingTools, site: Site) => html`
<h2 id="compare">Compare with what you are shown</h2>
<p>Send the tools that your own client lists; the answer says which differ, and since when.</p>
${paste(`curl ${site.config.publicUrl}/api/tools/check_surface -H 'content-type: application/json' -d '{"handle": "${handle}", "tools": [ ... ]}'`)}`;

/** The tools that a listing's endpoints listed to this service. */
export const toToolsPage = (site: Site, listed: ListingTools): Html =>
  toPage(site, {
    title: `Tools of ${listed.handle}`,
    description: `The tools that the endpoints of ${listed.handle} listed to this service, with dates, and how to compare them with what you are shown.`,
    path: `${pagePath(listed.handle)}/tools`,
    indexed: false,
    body: html`
<p class="eyebrow"><a class="handle" href="${pagePath(listed.handle)}">${listed.handle}</a></p>
<h1>Tools</h1>
<p class="statement">${listed.statement}</p>
${listed.endpoints.length > 0 ? listed.endpoints.map(endpointBlock) : html`<p>Dossier has not looked at the endpoints of this listing, or it records none.</p>`}
${howToCompare(listed, site)}`,
  });
