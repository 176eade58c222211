import { html } from 'hono/html';
import { whatAClaimShows } from '../claims/methods.ts';
import { ownerTexts } from '../core/handle.ts';
import { amount, counted } from '../core/text.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import type { ImportedSignal } from '../listings/listing.ts';
import { stateWords } from '../observations/observation.ts';
import { kindOf } from '../observations/recorded-kinds.ts';
import { type ProofClass, proofTexts } from '../ratings/proof.ts';
import type { RatingCounts } from '../ratings/rating.ts';
import { stem, stopWords, toWords } from '../search/words.ts';

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

/** A third party's address: a marked link if it is plain https, text otherwise (docs/contract.md). */
export const foreignLink = (address: string): Html =>
  isHttps(address)
    ? html`<a class="foreign" href="${address}" rel="nofollow ugc noopener noreferrer">${address}</a>`
    : html`<span class="foreign">${address}</span>`;

/** A text to copy; the copy button is added by script. */
export const paste = (text: string): Html => html`<pre class="paste"><code>${text}</code></pre>`;

/** A shell command that posts JSON. No quote in the input ends its argument. */
export const toCurl = (url: string, input: object): string =>
  `curl -s ${url} -H 'Content-Type: application/json' -d '${JSON.stringify(input).replaceAll("'", "'\\''")}'`;

export const pagePath = (handle: string): string => `/agents/${handle}`;

export const publisherPath = (namespace: string): string => `/publishers/${namespace}`;

export const handleLink = (handle: string): Html =>
  html`<a class="handle" href="${pagePath(handle)}">${handle}</a>`;

export const tagLink = (tag: string, title?: string): Html =>
  html`<a class="tag" href="/tags/${encodeURIComponent(tag)}"${title ? html` title="${title}"` : ''}>${tag}</a>`;

const minPrefixLength = 3;

export interface SearchWords {
  readonly stems: ReadonlySet<string>;
  /** The last word, from three letters on; it is highlighted as a prefix too. */
  readonly prefix: string | undefined;
}

/** The words of a query to highlight: by their stems, without stop words. */
export function toSearchWords(query: string): SearchWords {
  const words = toWords(query).map(({ text }) => text);
  const informative = words.filter((word) => !stopWords.has(word));
  const last = words.at(-1) ?? '';
  return {
    stems: new Set((informative.length > 0 ? informative : words).map(stem)),
    prefix: [...last].length >= minPrefixLength && !stopWords.has(last) ? last : undefined,
  };
}

export function highlight(text: string, { stems, prefix }: SearchWords): Html {
  if (stems.size === 0) return html`${text}`;
  const isMatch = (word: string) =>
    stems.has(stem(word)) || (prefix !== undefined && word.startsWith(prefix));
  const parts = text.split(/([\p{L}\p{M}\p{N}]+)/u);
  return html`${parts.map((part, at) =>
    at % 2 === 1 && toWords(part).some((word) => [word.text, ...word.parts].some(isMatch))
      ? html`<mark>${part}</mark>`
      : part,
  )}`;
}

export const stateTexts = {
  imported: 'Imported, not claimed',
  claimed: 'Claimed',
  suspended: 'Claim suspended',
} as const;

export const matchTexts = ownerTexts;

export const notClaimed = `This listing is not claimed. ${whatAClaimShows} A claim lets the listing rate others.`;

/** An identifier as words: `namespace_changed` becomes `namespace changed`, `registry.status` becomes `registry status`. */
export const toLabel = (name: string): string => name.replaceAll(/[._]/g, ' ');

/** The name of a kind of fact within a sentence: capitals of abbreviations stay. */
export const factName = (kind: string): string =>
  (kindOf(kind)?.title ?? toLabel(kind)).replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());

/** The dates of the version shown: its own publication, and the last change of its entry. */
export const versionDates = ({ version, versions, updated_at }: ListingDocument): string => {
  const shown = versions.find((one) => one.version === version);
  return `${shown ? `published ${shown.published_at.slice(0, 10)}, ` : ''}updated ${updated_at.slice(0, 10)}`;
};

/** How many versions are shown, of how many; a document lists the newest ten. */
export function versionsTitle({ versions, signals: { imported } }: ListingDocument): string {
  const known = imported.find(
    ({ kind, state }) => kind === 'registry.versions' && state === 'observed',
  )?.value;
  const shown = versions.length;
  return typeof known === 'number' && known > shown
    ? `The newest ${shown} of ${amount(known)} versions`
    : `${counted(shown, 'version')}, newest first`;
}

/** The value of an imported signal (third-party text), or its state if there is none. */
export function signalText({ kind, value, unit, state }: ImportedSignal): string {
  if (state !== 'observed' || value === null) return stateWords[state];
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value;
  const count = amount(value);
  return unit && !kind.includes(unit.replace(/s$/, '')) ? `${count} ${toLabel(unit)}` : count;
}

const listed = (counts: Readonly<Record<string, number>>, show: (name: string, count: string) => string) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => show(name, amount(count)))
    .join(', ') || 'none';

/** Outcomes with their counts: `succeeded 2, failed 1`. */
export const countsText = (counts: RatingCounts['outcomes']): string =>
  listed(counts, (outcome, count) => `${outcome} ${count}`);

/** Scores with their counts, each score that of its source: `4 (1 time), 5 (3 times)`. */
export const scoresText = (counts: RatingCounts['scores']): string =>
  listed(counts, (score, count) => `${score} (${count} ${count === '1' ? 'time' : 'times'})`);

/** Classes of proof with their counts: `no proof 2, service receipt 1`. */
export const proofsText = (counts: RatingCounts['by_proof']): string =>
  listed(counts, (name, count) => `${proofTexts[name as ProofClass].name.toLowerCase()} ${count}`);

/** What each class of proof shows and does not, a sentence or two each with its name. */
export const proofSentences = (meanings: Readonly<Record<string, string>>): string[] =>
  Object.entries(meanings).map(([name, shows]) => `${proofTexts[name as ProofClass].name}: ${shows}`);

/** That a listing is a sample, or from a saved copy; nothing for any other listing. */
export const originNote = ({ origin_note }: Pick<ListingDocument, 'origin_note'>): Html | '' =>
  origin_note === undefined ? '' : html`<p class="note">${origin_note}</p>`;
