import { html } from 'hono/html';
import { howToOptOut } from '../../evidence/listing/state/opt-out.ts';
import type { Html } from '../layout/html.ts';
import type { Site } from '../layout/site.ts';

type Config = Site['config'];

/** An address of the web or of mail as a link. */
export const contactLink = (contact: string) =>
  /^https?:/.test(contact)
    ? html`<a href="${contact}">${contact}</a>`
    : html`<a href="mailto:${contact}">${contact}</a>`;

const unsaid = (what: string) => html`The operator has not said ${what}.`;

/** Who runs this service and how to reach them, as its settings say; what they do not say is said so. */
export const operatorBlock = ({
  operatorName,
  operatorContact,
  imprintUrl,
  serviceName,
}: Config): Html => html`
<section aria-labelledby="operator"><h2 id="operator">Who runs this service</h2>
<dl class="facts wide">
<div><dt>Operator</dt><dd>${operatorName || unsaid(`who runs this instance of ${serviceName}`)}</dd></div>
<div><dt>Contact</dt><dd>${operatorContact ? contactLink(operatorContact) : html`${unsaid('how to be reached')} The <a href="/feedback">feedback form</a> is read by the operator.`}</dd></div>
<div><dt>Imprint and terms</dt><dd>${imprintUrl ? html`<a href="${imprintUrl}">${imprintUrl}</a>` : unsaid('where an imprint or terms of use are')}</dd></div>
</dl></section>`;

/** What is stored about visitors, and how something is removed. */
export const privacyBlock = ({ claimFile }: Config): Html => {
  const [before, after] = howToOptOut(claimFile);
  return html`
<section aria-labelledby="privacy"><h2 id="privacy">Privacy and removal</h2>
<ul>
<li>No account, no cookie, no script or picture of others. Addresses of callers are kept in memory for rate limits and are not stored in the database; a proxy or host in front of this service may log them.</li>
<li>Feedback is stored as it was sent, is read by the operator only, and is not published.</li>
<li>Ratings, responses and claims are public and entries of an <a href="/log">append-only log</a>. A source can withdraw its rating; the operator can erase what a rating or response says, which leaves a public entry that it was erased.</li>
<li>${before}<code>optout HANDLE</code>${after}</li>
<li>What the operator hid, withdrew, voided, blocked or erased is shown where it was, with its reason, and counted in <a href="/transparency.json">transparency.json</a>. To appeal, write to the contact above, or use the feedback form.</li>
<li>To report a listing or a rating, or to ask for something to be removed, use the <a href="/feedback?category=report">feedback form</a>.</li>
</ul></section>`;
};
