import { html } from 'hono/html';
import { whatClaimedMeans } from '../../evidence/claim/claim-statement.ts';
import { rulesOfEvidence } from '../../evidence/listing/sentences/rules.ts';
import { howToOptOut } from '../../evidence/listing/state/opt-out.ts';
import type { ImportReport, ObserverStatus, StatusDocument } from '../../evidence/status-document.ts';
import { amount, counted } from '../../evidence/text/plural.ts';
import { problemTable } from '../../problem-table.ts';
import { day, type Html, minute } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';
import { countsOf, every, importState } from './import-state.ts';
import { operatorBlock, privacyBlock } from './operator-block.ts';

type Quarantine = StatusDocument['quarantine'];

const newestOf = (rows: Quarantine['newest']) => html`
<details><summary>The newest of them</summary><ul class="plain">${rows.map(({ name, version, reason, seen_at }) => html`<li><code class="foreign">${name}</code> <span class="foreign">${version}</span>: ${reason} (${day(seen_at)})</li>`)}</ul></details>`;

function quarantineBlock({ records, reasons, newest }: Quarantine) {
  if (records === 0) return html`<h3>Quarantined records</h3><p>None.</p>`;
  return html`
<h3>Quarantined records</h3>
<p>${counted(records, 'record')} could not be read. They do not stop an import; each is read again when the registry sends it again.</p>
<table class="counts"><thead><tr><th scope="col">Reason</th><th scope="col">Records</th></tr></thead>
<tbody>${reasons.map((row) => html`<tr><th scope="row">${row.reason}</th><td>${amount(row.records)}</td></tr>`)}</tbody></table>
${newestOf(newest)}`;
}

function lastImport(run: ImportReport) {
  const { kind, source, started_at, finished_at } = run;
  const seconds = finished_at && (Date.parse(finished_at) - Date.parse(started_at)) / 1000;
  const counts = countsOf(run);
  return html`
<h3>Last completed import</h3>
<p>Last completed import: ${kind}, ${minute(started_at)} to ${finished_at ? html`${minute(finished_at)}, ${seconds} seconds` : '-'}, from <code>${source}</code>.</p>
${
  counts.length === 0
    ? html`<p>The registry sent nothing.</p>`
    : html`<table class="counts"><thead><tr><th scope="col">Counted</th><th scope="col">Number</th></tr></thead>
<tbody>${counts.map(([name, count]) => html`<tr><th scope="row">${name}</th><td>${amount(count)}</td></tr>`)}</tbody></table>`
}`;
}

const report = (status: StatusDocument) => html`
<section aria-labelledby="import">
<h2 id="import">Import report</h2>
${importState(status)}
${status.import.last_completed ? lastImport(status.import.last_completed) : ''}
${quarantineBlock(status.quarantine)}
</section>`;

const claims = ({ claimFile }: Site['config']) => {
  const [before, after] = howToOptOut(claimFile);
  return html`
<section aria-labelledby="claimed">
<h2 id="claimed">What claimed means</h2>
<p>${whatClaimedMeans(claimFile)} Whether namespace and repository owner agree is shown beside it.</p>
<p>The file is the authority: while the line is in it, the claim is active; remove it, and the claim is suspended at the next check.</p>
<p>${before}<code>optout &lt;handle&gt;</code>${after}</p>
</section>`;
};

const observerState = ({ is_on, interval_s, vantage, ...seen }: ObserverStatus) => {
  const how = is_on
    ? html`Each listing is looked at about every ${every(interval_s)}, from <code>${vantage}</code>.`
    : 'This service does not check listings by itself (OBSERVE is off); its operator may do so by command.';
  return seen.last_look_at
    ? html`${how} Listings looked at so far: ${amount(seen.listings_looked_at)}; last look: ${minute(seen.last_look_at)}.`
    : html`${how} No listing has been looked at yet.`;
};

/** Requests of the observer name this section in their User-Agent. */
const observerBlock = (observer: ObserverStatus, { claimFile }: Site['config']) => html`
<section aria-labelledby="observer">
<h2 id="observer">The observer</h2>
<p>${observerState(observer)}</p>
<p>It asks a recorded endpoint what it is and which tools it lists, as an MCP client would, without credentials; it never calls a tool and never pays. It sends one request at a time to each host, and obeys <code>Retry-After</code> and <code>robots.txt</code> for the name <code>Dossier</code>. Its requests are signed; the key is <a href="/.well-known/http-message-signatures-directory">published</a>.</p>
<p>A line <code>observe: no</code> in <code>${claimFile}</code> of the recorded repository stops all requests to that service’s hosts.</p>
</section>`;

type Row = (typeof problemTable)[keyof typeof problemTable];

const error = ([code, { status, title, next }]: [string, Row]) => html`
<div id="${code}"><dt><code>${code}</code> <span class="note">${status === 200 ? 422 : status}</span></dt><dd>${title}. <span class="note">${next}</span></dd></div>`;

const errors = () => html`
<section aria-labelledby="errors">
<h2 id="errors">Error codes</h2>
<p>Each with its HTTP status, what it means and what to do next.</p>
<dl class="facts wide codes">${Object.entries(problemTable).map(error)}</dl>
</section>`;

/** The rules of evidence, what a claim means, how fresh the data is, and the table of errors. */
export const toAboutPage = (site: Site, status: StatusDocument): Html =>
  toPage(site, {
    title: 'About',
    description: 'The rules of evidence, what a claim means, and how fresh the listings are.',
    path: '/about',
    body: html`
<h1>About ${site.config.serviceName}</h1>
<p class="lead">A public directory of agent services, imported from MCP registries, with the evidence about each separated by source. Every listing names the registry it came from.</p>
${operatorBlock(site.config)}
<section aria-labelledby="rules"><h2 id="rules">Rules of evidence</h2><ol>${rulesOfEvidence.map((rule) => html`<li>${rule}</li>`)}</ol></section>
${claims(site.config)}
${report(status)}
${observerBlock(status.observer, site.config)}
<section aria-labelledby="data"><h2 id="data">Where the data comes from</h2><p>Listing data comes from the registry that the listing names and is its publisher's own text; ${site.config.serviceName} is not affiliated with any registry. A listing that its registry removed is answered as gone, without the publisher's text; that is not a verdict about it.</p></section>
${privacyBlock(site.config)}
${errors()}`,
  });
