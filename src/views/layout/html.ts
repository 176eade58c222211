import { html } from 'hono/html';

/** A rendered part of a page, already escaped. */
export type Html = ReturnType<typeof html>;

/** The day of an RFC 3339 time, as a machine-readable element. */
export const day = (time: string): Html => html`<time datetime="${time}">${time.slice(0, 10)}</time>`;

/** A sentence with its date (YYYY-MM-DD) marked up, so that it is not broken over two lines. */
export const dated = (text: string, date: string): Html =>
  html`${text.split(date).map((part, at) => (at === 0 ? part : html`<time>${date}</time>${part}`))}`;

/** A time to the minute, UTC, as a machine-readable element. */
export const minute = (time: string): Html =>
  html`<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time>`;

const isHttps = (text: string) =>
  /^https:\/\/[^\s/?#@\\{}]+([/?#][^\s\\]*)?$/i.test(text) && URL.canParse(text);

/** A third party's address: a marked link if it is plain https, text otherwise (docs/trust.md section 6). */
export const foreignLink = (address: string): Html =>
  isHttps(address)
    ? html`<a class="foreign" href="${address}" rel="nofollow ugc noopener noreferrer">${address}</a>`
    : html`<span class="foreign">${address}</span>`;

/** A text to copy; the copy button is added by script. */
export const paste = (text: string): Html => html`<pre class="paste"><code>${text}</code></pre>`;

/** A shell command that posts JSON. No quote in the input ends its argument. */
export const toCurl = (url: string, input: object): string =>
  `curl -s ${url} -H 'Content-Type: application/json' -d '${JSON.stringify(input).replaceAll("'", "'\\''")}'`;

/** The path of a listing's page. */
export const pagePath = (handle: string): string => `/agents/${handle}`;

/** The path of a publisher's page. */
export const publisherPath = (namespace: string): string => `/publishers/${namespace}`;

/** A link to a listing by its handle. */
export const handleLink = (handle: string): Html =>
  html`<a class="handle" href="${pagePath(handle)}">${handle}</a>`;

/** A link to the listings with a tag. */
export const tagLink = (tag: string, title?: string): Html =>
  html`<a class="tag" href="/tags/${encodeURIComponent(tag)}"${title ? html` title="${title}"` : ''}>${tag}</a>`;
