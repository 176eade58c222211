import { asObject, type JsonObject, readForeignJson } from '../core/json.ts';
import { code, own, say, type Words } from '../core/words.ts';
import { hasChallenge, hasOffer, isBotChallenge, meaningOf, withoutContent } from './meaning.ts';

/**
 * Why a question to a host brought no value (docs/observations.md).
 * - `nothing`: answered without a value.
 * - `asks`: asks for credentials or a payment first, or refuses without the secret that the record requires.
 * - `absent`: nothing is there, for example by HTTP 404 or 410.
 * - `otherwise`: not what was asked for.
 * - `silent`: tried, without a usable answer.
 * - `refused`: by robots.txt or the publisher.
 * - `not_asked`: not tried, asked to wait (HTTP 429), or not the host's fault.
 */
export type OutcomeWithoutValue =
  | 'nothing'
  | 'asks'
  | 'absent'
  | 'otherwise'
  | 'silent'
  | 'refused'
  | 'not_asked';

export interface NoAnswer {
  readonly result: 'no_answer';
  readonly outcome: OutcomeWithoutValue;
  /** True when read alone. */
  readonly why: Words;
  readonly asks_for?: 'credentials' | 'payment' | 'secret';
  /** A second check must confirm that the host asks. */
  readonly mayPass?: true;
  readonly status?: number;
  readonly media_type?: string;
  /** Another host than requested. */
  readonly redirects_to?: string;
  /** If outcome and status do not tell it. */
  readonly cause?:
    | 'timeout'
    | 'connection'
    | 'broke_off'
    | 'certificate'
    | 'not_http'
    | 'too_large'
    | 'one_session'
    /** By a JSON-RPC error. */
    | 'no_method';
  /** Refused because there is one session for all clients (RFC 3339). */
  readonly one_session_at?: string;
  /** If not Dossier. */
  readonly source?: string;
  readonly source_url?: string;
}

export const noAnswer = (
  outcome: OutcomeWithoutValue,
  why: Words,
  more: Omit<NoAnswer, 'result' | 'outcome' | 'why'> = {},
): NoAnswer => ({ result: 'no_answer', outcome, why, ...more });

export const notAsked = (why: Words): NoAnswer => noAnswer('not_asked', why);

/** In characters, percent-encoded. */
export const longestAddress = 2048;

export const whyTooLong = ({ href, host }: URL): NoAnswer | undefined =>
  href.length > longestAddress
    ? notAsked(
        say`An address at ${code(host.slice(0, 100))} has more than 2,048 characters; Dossier requests none that long.`,
      )
    : undefined;

/** Untrusted. */
export interface Fetched {
  readonly result: 'response';
  /** Or where the same host redirected to. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const mediaTypeOf = ({ headers }: Fetched): string | undefined =>
  /^[\w.+-]+\/[\w.+-]+/
    .exec(headers['content-type'] ?? '')?.[0]
    .toLowerCase()
    .slice(0, 60);

const longestHost = 253 + 6;

const redirectOf = ({ status, headers, url }: Fetched): string | undefined => {
  const to = status >= 300 && status < 400 ? URL.parse(headers.location ?? '', url) : null;
  return to && to.host !== new URL(url).host ? to.host.slice(0, longestHost) : undefined;
};

export const responseOf = ({ status, media_type, redirects_to }: NoAnswer) =>
  status === undefined
    ? undefined
    : { status, ...(media_type && { media_type }), ...(redirects_to && { redirects_to }) };

function returnedWords(response: Fetched): Words {
  const { status } = response;
  const http = say`HTTP ${status}${status === 429 && own(' (too many requests)')}`;
  const host = redirectOf(response);
  if (isBotChallenge(response)) return say`a challenge to bots (${http})`;
  if (host !== undefined)
    return say`a redirect to another host, ${code(host)} (${http}; Dossier did not follow it)`;
  const type = mediaTypeOf(response);
  if (status < 200 || status >= 300) return http;
  if (type === 'text/html' || type === 'application/xhtml+xml') return say`a web page (${http})`;
  return type === undefined ? say`a response without a content type (${http})` : say`${code(type)} (${http})`;
}

/** `what` was expected, such as "MCP". */
export function returned(who: Words, response: Fetched, what?: Words): NoAnswer {
  const { status } = response;
  const outcome = withoutContent(meaningOf(response));
  const instead = what && outcome === 'otherwise' ? say` instead of ${what}` : own('');
  return noAnswer(outcome, say`${who} returned ${returnedWords(response)}${instead}.`, {
    status,
    media_type: mediaTypeOf(response),
    redirects_to: redirectOf(response),
  });
}

export const refusedJson = (who: Words, refused: Words): Words =>
  say`${who} sent JSON with ${refused}, which Dossier does not read.`;

/** Without a challenge or an offer it may be a proxy's page, or about something else. */
export const mayPass = (sent: Parameters<typeof hasOffer>[0], asks_for: 'credentials' | 'payment') =>
  (asks_for === 'payment' ? hasOffer : hasChallenge)(sent) ? {} : { mayPass: true as const };

export const asksFirst = (
  response: Fetched,
  why: Words,
  more: { readonly asks_for: 'credentials' | 'payment'; readonly status?: number },
): NoAnswer => noAnswer('asks', why, { ...more, ...mayPass(response, more.asks_for) });

const asked = {
  credentials: own('asks for credentials'),
  payment: own('asks for a payment'),
} as const;

export function toContent(response: Fetched | NoAnswer): Fetched | NoAnswer {
  if (response.result !== 'response') return response;
  const meaning = meaningOf(response);
  const { status } = response;
  const url = code(response.url);
  if (meaning === 'content') {
    const { refused } = /^\s*[[{]/.test(response.text) ? readForeignJson(response.text) : {};
    return refused ? noAnswer('otherwise', refusedJson(code(response.url), refused), { status }) : response;
  }
  if (meaning === 'absent') return noAnswer('absent', say`${url} returned HTTP ${status}.`, { status });
  if (meaning !== 'credentials' && meaning !== 'payment') return returned(url, response);
  return asksFirst(response, say`${url} ${asked[meaning]} (HTTP ${status}).`, { asks_for: meaning, status });
}

export type Registered =
  | { readonly result: 'document'; readonly response: Fetched; readonly document: JsonObject }
  | { readonly result: 'absent'; readonly response: Fetched };

/** A missing host, a request for credentials or a maintenance page says nothing about the package. */
export function toRegistered(
  response: Fetched | NoAnswer,
  isDocument: (document: JsonObject) => boolean,
): Registered | NoAnswer {
  if (response.result !== 'response')
    return response.outcome === 'absent' ? { ...response, outcome: 'silent' } : response;
  const meaning = meaningOf(response);
  if (meaning === 'absent') return { result: 'absent', response };
  const { value, refused } = readForeignJson(response.text);
  const document = asObject(value);
  if (meaning === 'content' && document && isDocument(document))
    return { result: 'document', response, document };
  if (meaning === 'content' && refused)
    return noAnswer('otherwise', refusedJson(code(response.url), refused), { cause: 'too_large' });
  return returned(code(new URL(response.url).host), response, own('the document that was asked for'));
}
