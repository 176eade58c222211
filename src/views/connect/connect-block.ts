import { html } from 'hono/html';
import type {
  ListingDocument,
  ListingPackage,
  ListingRemote,
} from '../../evidence/listing/listing-document.ts';
import { copyLacksSentence } from '../../evidence/listing/record/reading.ts';
import { inputsText } from '../../evidence/listing/sentences/inputs-text.ts';
import { type Html, paste } from '../layout/html.ts';
import { type Tab, tabs } from '../layout/tabs.ts';
import { type PasteableConfig, toConfigs } from './connect-configs.ts';
import { type Connection, toCommands, toEntryNames, toRemote } from './connections.ts';

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
  configTabs('ask', { name: 'dossier', url: `${publicUrl}/api/mcp`, type: 'http', headers: [] });

const needs = ({ inputs }: Pick<ListingPackage, 'inputs'>) =>
  inputs ? html`<p class="note">As recorded, it <span class="foreign">${inputsText(inputs)}</span>.</p>` : '';

const isTemplate = ({ url }: ListingRemote) => /[{}]/.test(url);

/** Why no configuration is given for an endpoint. */
const withoutConfig = (remote: ListingRemote) =>
  isTemplate(remote)
    ? html`<p>The recorded endpoint is a template: <code class="foreign">${remote.url}</code>. Fill in its values before you connect.</p>`
    : html`<p>The recorded endpoint is not an https address of a public host without a user name, so no configuration is given: <code class="foreign">${remote.url}</code></p>`;

function firstRemote(remote: ListingRemote, name: string): Html {
  const usable = toRemote(remote);
  return html`${usable ? configTabs('use', { name, ...usable }) : withoutConfig(remote)}${needs(remote)}`;
}

/** The first configuration: a command where the address allows one. */
function otherRemote(remote: ListingRemote, name: string): Html {
  const usable = toRemote(remote);
  const [config] = usable ? toConfigs({ name, ...usable }) : [];
  return html`<li>${config ? paste(config.text) : withoutConfig(remote)}${needs(remote)}</li>`;
}

const packageText = (recorded: ListingPackage) => html`
<p><code class="foreign">${recorded.identifier}</code>${toCommands(recorded).length === 0 && html` <span class="note">Allow lists and configurations leave it out: it runs over another transport than stdio, or its name is not in the form of npm, PyPI, NuGet or an OCI image.</span>`}</p>${needs(recorded)}`;

const withoutRemote = ({ packages, copy_lacks }: ListingDocument) => html`
<p>${copyLacksSentence(copy_lacks, 'endpoint') ?? 'The listing records no remote endpoint.'}${packages.length > 0 && ' See the page of its package for how to run it.'}</p>
${packages.map(packageText)}`;

function connectListing(listing: ListingDocument): Html {
  const names = toEntryNames(
    listing.handle,
    listing.remotes.map(({ url }) => url),
  );
  const [first, ...others] = listing.remotes.map((remote, at) => ({ remote, name: names[at] ?? '' }));
  if (!first) return withoutRemote(listing);
  return html`
${firstRemote(first.remote, first.name)}
${others.length > 0 ? html`<details><summary>${others.length === 1 ? 'The other endpoint' : `The other ${others.length} endpoints`}</summary><ul class="plain">${others.map(({ remote, name }) => otherRemote(remote, name))}</ul></details>` : ''}`;
}

/** How to connect to the listed service: every recorded endpoint, under a name of its own, with the headers it needs. */
export const connectBlock = (listing: ListingDocument): Html => html`
<section class="box" aria-labelledby="connect">
<h2 id="connect">Connect</h2>
${connectListing(listing)}
</section>`;

/** How to ask this directory about the listing over MCP. */
export const askDossierBlock = ({ handle }: ListingDocument, publicUrl: string): Html => html`
<section aria-labelledby="ask-mcp">
<h3 id="ask-mcp">Ask this directory from your agent</h3>
<p>Add this directory over MCP, then call <code>get_agent</code> with <code>${handle}</code>.</p>
${connectDossier(publicUrl)}
</section>`;
