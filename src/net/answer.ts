import { asMembers, type JsonObject, readForeignJson } from '../core/json.ts';

/**
 * Why nothing can be said of a place: the state of every fact that would have come from there, with its reason.
 * `unreachable` is an answer that may pass, or none: it never changes what was seen before (observations/compare.ts).
 */
export interface NoAnswer {
  readonly result: 'unreachable' | 'refused' | 'not_checked' | 'auth_first' | 'not_found';
  /** A sentence that is true when read alone. */
  readonly reason: string;
  /** The HTTP status of what was sent, or why nothing came; absent if nothing was asked for. */
  readonly cause?: number | 'timeout' | 'connection' | 'certificate' | 'not_http' | 'too_large';
  /** Set on `unreachable` if nothing was sent, or our own network may be at fault: then nothing was checked. */
  readonly isUnchecked?: true;
  /** Whose word it is, if not Dossier's. */
  readonly source?: string;
  readonly source_url?: string;
}

/** That something was not checked, or cannot be learned where it was asked. */
export const notChecked = (reason: string): NoAnswer => ({ result: 'not_checked', reason });

/** The longest URL that Dossier requests, in characters of its percent-encoded form, wherever it is named. */
export const longestAddress = 2048;

/** The result for a URL that is too long to be requested; undefined for one of at most 2,048 characters. */
export const whyTooLong = ({ href, host }: URL): NoAnswer | undefined =>
  href.length > longestAddress
    ? notChecked(
        `An address at ${host.slice(0, 100)} has more than 2,048 characters; Dossier requests none that long.`,
      )
    : undefined;

/** A response of a foreign host; its body is data, at most 2 MiB. */
export interface Fetched {
  readonly result: 'response';
  /** The recorded address, whatever it was reached at. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * What a response is. `content`: what was asked for may be in its body (2xx). `credentials`, `payment`: that is asked for
 * first. `absent`: it is not there. `passing`: everything else, as overload, a fault, a challenge, a page of maintenance, a redirect
 * away; the next check may meet another answer, so it is none.
 */
type Meaning = 'content' | 'credentials' | 'payment' | 'absent' | 'passing';

const longestMessage = 2000;
const loginPath = /(?:^|[/.])(?:log-?in|sign-?in|sso|oauth2?|authorize|auth)(?:[/?#.]|$)/i;
const wanted =
  '(?:api[ _-]?key|token|credentials?|authori[sz]ation(?: header)?|authentication|log-?in|sign-?in)';
const asksForCredentials = new RegExp(
  [
    '\\bunauthori[sz]ed\\b|\\bunauthenticated\\b|\\bnot (?:authenticated|logged in|signed in)\\b',
    `\\b${wanted}\\b[^.<>]{0,30}\\b(?:required|missing|not provided|needed|invalid)\\b`,
    `\\b(?:missing|invalid|no|requires?|provide|needs?)\\b[^.<>]{0,30}\\b${wanted}\\b`,
  ].join('|'),
  'i',
);
const passwordField = /<input\s[^>]{0,500}type\s*=\s*["']?password/i;

/** Whether a message in words, as in the body of an error, asks for credentials. */
export const isAskingForCredentials = (message: string): boolean =>
  message.length <= longestMessage && asksForCredentials.test(message);

/** Whether the body of a response asks for credentials: a page with a field for a password, everything else in words. */
export const isAskingInBody = (response: Fetched): boolean =>
  /^text\/html\b|^application\/xhtml/i.test(response.headers['content-type'] ?? '') ||
  /^\s*<(?:!doctype|html)/i.test(response.text)
    ? passwordField.test(response.text.slice(0, 65_536))
    : isAskingForCredentials(response.text);

/** Says what a response is; the only place that judges statuses. Of a body only an error's counts: whether it asks for credentials. */
export function meaningOf(response: Fetched): Meaning {
  const { status, headers } = response;
  if (status === 401 || status === 407) return 'credentials';
  if (status === 402) return 'payment';
  if (status === 404 || status === 410) return 'absent';
  if (status === 403 && headers['www-authenticate']) return 'credentials';
  if (status >= 300 && status < 400)
    return loginPath.test(headers.location ?? '') ? 'credentials' : 'passing';
  if (status >= 200 && status < 300) return 'content';
  return status !== 429 && status !== 503 && isAskingInBody(response) ? 'credentials' : 'passing';
}

/** What a meaning other than `content` says of the place that was asked. */
const states: Readonly<Record<Exclude<Meaning, 'content'>, NoAnswer['result']>> = {
  credentials: 'auth_first',
  payment: 'refused',
  absent: 'not_found',
  passing: 'unreachable',
};

/** The published reason for JSON that exceeds the limits of what Dossier reads. */
export const refusedJson = (url: string, refused: string): string =>
  `${url} sent JSON with ${refused}, which Dossier does not read.`;

/**
 * A response with content, or why there is none. `Run.get` and its like give kinds of facts this: a kind reads the content, and
 * passes everything else on (withoutAnswer in observations/remotes.ts).
 */
export function toContent(response: Fetched | NoAnswer): Fetched | NoAnswer {
  if (response.result !== 'response') return response;
  const meaning = meaningOf(response);
  if (meaning === 'content') {
    const { refused } = /^\s*[[{]/.test(response.text) ? readForeignJson(response.text) : {};
    return refused ? { result: 'unreachable', reason: refusedJson(response.url, refused) } : response;
  }
  const reason = `${response.url} answered with HTTP status ${response.status}.`;
  return { result: states[meaning], reason, cause: response.status };
}

/** The document that a registry of packages sent for a question about one, or that there is none (404). */
export type Registered =
  | { readonly result: 'document'; readonly response: Fetched; readonly document: JsonObject }
  | { readonly result: 'absent'; readonly response: Fetched };

/**
 * What a registry of packages said. Everything but its own document (`isDocument`) and 404 is no answer: registries are read without
 * credentials, so one that asks for some, a captive portal or a page of maintenance says nothing about the package.
 */
export function toRegistered(
  response: Fetched | NoAnswer,
  isDocument: (document: JsonObject) => boolean,
): Registered | NoAnswer {
  if (response.result !== 'response') return response;
  const meaning = meaningOf(response);
  if (meaning === 'absent') return { result: 'absent', response };
  const { value, refused } = readForeignJson(response.text);
  const document = asMembers(value);
  if (meaning === 'content' && isDocument(document)) return { result: 'document', response, document };
  if (meaning === 'content' && refused)
    return { result: 'unreachable', reason: refusedJson(response.url, refused) };
  const other = meaning === 'content' ? ', and not with the document that was asked for' : '';
  const reason = `${new URL(response.url).host} answered with HTTP status ${response.status}${other}.`;
  return { result: 'unreachable', reason };
}

/** A parameter (1: its name, 2: quoted, 3: bare) or the name of a scheme (4), RFC 9110 section 11.6.1. */
const piece =
  /[\s,]*(?:([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|([\w!#$%&'*+.^`|~-]+)(?=[\s,]|$))/gy;

/** The challenges of the WWW-Authenticate header of a response; what follows a fault is not read. */
export function challengesOf({ headers }: Fetched) {
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  for (const [, name, quoted, bare, scheme] of (headers['www-authenticate'] ?? '').matchAll(piece)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    else
      challenges
        .at(-1)
        ?.parameters.set((name ?? '').toLowerCase(), quoted?.replace(/\\(.)/gs, '$1') ?? bare ?? '');
  }
  return challenges;
}
