import { html } from 'hono/html';
import { inputsText } from '../../evidence/listing/inputs-text.ts';
import type { ListingDocument, ListingPackage } from '../../evidence/listing/listing-document.ts';
import { type Html, paste } from '../layout/html.ts';
import { type Tab, tabs } from '../layout/tabs.ts';
import { type Connection, type PasteableConfig, toConfigs, toEntryName } from './connect-configs.ts';

const toTab = ({ client, where, text, deepLink }: PasteableConfig): Tab => ({
  name: client,
  body: html`<p>In ${where}${deepLink && html`, or <a href="${deepLink}">open it in ${client}</a>`}:</p>
${paste(text)}`,
});

/** Configurations for one server, one tab per client. */
const configTabs = (group: string, connection: Connection): Html =>
  tabs(group, 'Client', toConfigs(connection).map(toTab));

/** How to connect to this service over MCP. */
export const connectDossier = (publicUrl: string): Html =>
  configTabs('ask', { name: 'dossier', url: `${publicUrl}/api/mcp`, type: 'http' });

const isPlain = (url: string) => URL.canParse(url) && /^https?:/.test(url) && !/[{}\s\\]/.test(url);

const asRecorded = (what: Html | string, { inputs }: Pick<ListingPackage, 'inputs'>) =>
  inputs
    ? html`<p>As recorded, ${what} <span class="foreign">${inputsText(inputs)}</span>; the configurations here do not include it.</p>`
    : '';

function connectListing({ handle, endpoint: plain, remotes, packages }: ListingDocument) {
  const remote = remotes.find(({ url }) => url === plain) ?? remotes[0];
  const endpoint = plain ?? remote?.url;
  if (!endpoint || !remote)
    return html`<p>The listing records no remote endpoint. If it records a package, see the package's own page for how to run it.</p>${packages.map((recorded) => asRecorded(html`<code class="foreign">${recorded.identifier}</code>`, recorded))}`;
  if (!isPlain(endpoint))
    return html`<p>The recorded endpoint is a template: <code class="foreign">${endpoint}</code>. Fill in its values before you connect.</p>${asRecorded('it', remote)}`;
  const type = remote.type === 'sse' ? 'sse' : 'http';
  return html`
<p>The endpoint was recorded by the publisher; this service has not checked whether it answers.</p>
${asRecorded('it', remote)}
${configTabs('use', { name: toEntryName(handle), url: new URL(endpoint).href, type })}`;
}

/** How to connect to this service, and how to connect to the listed one. */
export const connectBlock = (listing: ListingDocument, publicUrl: string): Html => html`
<section aria-labelledby="connect">
<h2 id="connect">Connect over MCP</h2>
<h3>Ask this directory from your agent</h3>
<p>Then call <code>get_agent</code> with <code>${listing.handle}</code>.</p>
${connectDossier(publicUrl)}
<h3>Connect to the listed service</h3>
${connectListing(listing)}
</section>`;
