import { html } from 'hono/html';
import { whatClaimedMeans } from '../claims/methods.ts';
import { howToOptOut, optOutRules } from '../claims/rules.ts';
import { amount, counted, isWebAddress } from '../core/text.ts';
import type { ImportReport, StatusDocument } from '../document/listing-document.ts';
import { ownTerms } from '../document/registry/ard.ts';
import { howToUse, operatorFacts, rulesOfEvidence, whatIsKeptOfAsking } from '../document/service.ts';
import { day, type Html, minute, paste } from './html.ts';
import { countsOf, every, importState } from './import-state.ts';
import { type PageSite, toPage } from './layout.ts';
import { contactLink, withLinks } from './pages.ts';

const privacyBlock = html`
<section aria-labelledby="privacy"><h2 id="privacy">Privacy and removal</h2>
<p>No account, no cookies, no third-party scripts or images. Feedback is private. Ratings, responses and claims are public, and recorded in an <a href="/log">append-only log</a>. To report a listing or a rating, or to ask for something to be removed, use the <a href="/feedback?category=report">feedback form</a>. Publishers can <a href="#claimed">withdraw a listing</a> themselves.</p>
<details><summary>What is stored, and what the operator can do</summary><ul>
<li>${whatIsKeptOfAsking.join(' ')}</li>
<li>Addresses of callers are kept in memory for rate limits. The database stores an address only as an HMAC, under a key that is deleted after the day. Networks that the operator blocked are stored as they are. A proxy or host in front of this service may log addresses and what is asked.</li>
<li>Feedback is stored, is read by the operator only, and is not published.</li>
<li>A source can withdraw its rating. The operator can erase what a rating or response says, and a public entry then says that it was erased.</li>
<li>If the operator hides, withdraws, voids, revokes, blocks or erases something, the log has an entry with the reason, and <a href="/transparency.json">transparency.json</a> counts the action. If this affects a page, the page shows a statement. To appeal, use the <a href="/feedback">feedback form</a>, or the contact above if there is one.</li>
</ul></details></section>`;

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
<p>${whatClaimedMeans(claimFile)}</p>
<details><summary>When a claim is suspended, and how to withdraw a listing</summary>
<p>If the namespace is an account and a repository is recorded, the page of the listing shows whether the account also owns the repository.</p>
<p>A claim is suspended if two checks a day or more apart find no proof of it. It is suspended if its location cannot be read for 30 days, and checks fail on at least ten of these days. It is also suspended if the registry or the publisher withdraws the listing, or if its last capability ends. A claim by the recorded repository is suspended if the record names another repository.</p>
<p>${before}<code>optout &lt;handle&gt;</code>${after}</p>
<ul>${optOutRules.map((effect) => html`<li>${effect}</li>`)}</ul></details>
</section>`;
};

const notSample = 'Listings of the sample are not checked.';

const observerState = ({ observe, interval_s, vantage, ...seen }: StatusDocument['observer']) => {
  const how = {
    on: html`Listings are checked about every ${every(interval_s)}, from <code>${vantage}</code>. ${notSample}`,
    asked: html`A listing is checked, from <code>${vantage}</code>, when somebody other than a crawler reads it, but at most about every ${every(interval_s)}. A listing whose record has changed can be checked sooner. Limits can delay a check. ${notSample}`,
    off: 'This service does not check listings by itself (OBSERVE is off: docs/observations.md of Dossier); its operator can start checks from the command line.',
  }[observe];
  return seen.last_observed_at
    ? html`${how} Listings observed so far: ${amount(seen.listings_observed)}; last observation: ${minute(seen.last_observed_at)}.`
    : html`${how} No listing has been observed yet.`;
};

/** The package is published nowhere, so the commands begin in a checkout. */
const inCi = ({ publicUrl }: PageSite['config']) => html`
<section aria-labelledby="ci"><h2 id="ci">A check in CI</h2>
<details><summary>How a build fails when what is known about a listing has changed</summary>
<p>Tools, prices, payees, packages and secrets are locked in a file, and compared with it later. The commands need a checkout of Dossier: the package is not on npm, and one that is named dossier there is a stranger’s.</p>
${paste(`npm install --save-dev "./$(npm pack --silent /path/to/dossier)"
npx --no-install dossier lock --from ${publicUrl} HANDLE
npx --no-install dossier check`)}
<p>Commit the file of the package and <code>dossier.lock.json</code>, and run the last command in each build. In the checkout, docs/changes.md says what is locked, and action.yml is a step of GitHub Actions. Without a checkout, <a href="/changes">the stream</a> and the feeds of each listing have the same changes.</p></details></section>`;

const [input, ratings, groups, rings, counts, imported, missing, compared, feedback, untrusted] =
  rulesOfEvidence;

const rulesBlock = html`
<section aria-labelledby="rules"><h2 id="rules">Rules of evidence</h2>
<ul>${[input, ratings, imported, missing].map((rule) => html`<li>${rule}</li>`)}</ul>
<details><summary>How ratings are grouped and counted, what is compared, what feedback does, and which text is untrusted</summary>${[groups, rings, counts, compared, feedback, untrusted].map((rule) => html`<p>${rule}</p>`)}</details></section>`;

export const toAboutPage = (site: PageSite, status: StatusDocument): Html =>
  toPage(site, {
    title: 'About',
    description: 'The rules of evidence, what a claim means, and how fresh the listings are.',
    path: '/about',
    body: html`
<h1>About ${site.config.serviceName}</h1>
<p class="lead">${site.config.serviceName} tells agents and people what is known about an agent service before they use or pay for it: who published it, where it runs, what it asks for, what it costs, what changed, and what other callers experienced. Every fact has a source and a date; the facts of a record share one date.</p>
<p>The listings come from MCP registries, and each names its source; ${site.config.serviceName} is not affiliated with any registry. What it checked itself, and the ratings that claimed listings give each other, are told apart from them. It does not score or recommend services: you or your agent decide.</p>

<section aria-labelledby="operator"><h2 id="operator">Who runs this service</h2>
<dl class="facts wide">
${Object.entries(operatorFacts(site.config)).map(([title, text]) => html`<div><dt>${title}</dt><dd>${isWebAddress(text) ? contactLink(text) : withLinks(site, text)}</dd></div>`)}
</dl>
<details><summary>How to cite a listing, get all of the data, and on what terms</summary>${howToUse(site.config).map((text) => html`<p>${withLinks(site, text)}</p>`)}</details></section>
${rulesBlock}
${claims(site.config)}
<section aria-labelledby="terms"><h2 id="terms">Terms for programs</h2><details><summary>The terms of entries and statements</summary><p>Entries of Agentic Resource Discovery and signed statements link here for the meaning of their terms.</p>
<dl class="facts wide">${Object.entries(ownTerms).map(([term, means]) => html`<div id="${term}"><dt><code>${term}</code></dt><dd>${means}</dd></div>`)}</dl></details></section>

<section aria-labelledby="import">
<h2 id="import">Import report</h2>
<p>${counted(status.listings.count, 'listing')}.</p>
${importState(status)}
<details><summary>Where the data comes from, the last completed import, and records that could not be read</summary>
<p>The texts of an imported listing are its publisher’s. Until an import from a registry has completed, listings of the sample that ships with this service may be shown. The page of a listing that its registry removed answers 410, without the publisher’s text. That is not a verdict about the listing.</p>
${status.import.last_completed ? lastImport(status.import.last_completed) : ''}
${quarantineBlock(status.quarantine)}</details>
</section>

<section aria-labelledby="observer">
<h2 id="observer">The observer</h2>
<p>${observerState(status.observer)}</p>
<p>A check asks a recorded endpoint what it is and which tools it lists, as an MCP client would, without credentials. It never calls a tool and never pays.</p>
<details><summary>How it asks, and how to stop it</summary><p>It sends one request at a time to each host, or two while an event stream is open. It obeys <code>Retry-After</code> for at most a day. It obeys <code>robots.txt</code> for the name <code>Dossier</code>, except at repository hosts, package registries and the source of advisories. Its requests to endpoints and other hosts of publishers are signed; the key is <a href="/.well-known/http-message-signatures-directory">published</a>.</p>
<p>To stop requests to the endpoints, websites and package files of a listing, put the line <code>observe: no</code> into <code>${site.config.claimFile}</code> at the root of the default branch of its recorded repository; for a listing without one, put <code>User-agent: Dossier</code> and, on the next line, <code>Disallow: /</code> into the <code>robots.txt</code> of each of these hosts.</p></details>
</section>
${inCi(site.config)}
${privacyBlock}`,
  });
