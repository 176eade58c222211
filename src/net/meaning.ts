import { asMembers, isJsonObject, type JsonObject, readBase64Object, readObject } from '../core/json.ts';
import { challengesOf } from './challenges.ts';

/**
 * `content` may be what was asked for, `silent` is nothing usable, `not_asked` asks to wait. `one_session`:
 * one for all clients, so that Dossier got none.
 */
type Meaning = 'content' | 'credentials' | 'payment' | 'absent' | 'one_session' | WithoutContent;
type WithoutContent = 'not_asked' | 'silent' | 'otherwise';

export const withoutContent = (meaning: string): WithoutContent =>
  meaning === 'silent' || meaning === 'not_asked' ? meaning : 'otherwise';

/** `error` is of JSON-RPC, in the body. */
interface SentAnswer {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly error?: JsonObject | undefined;
}

const ofPayment = /^(?:payment|l402|lsat)$/;
const ofPaymentIn = (sent: Pick<SentAnswer, 'headers'>) =>
  challengesOf(sent).filter(({ scheme }) => ofPayment.test(scheme));

const offersIn = (body: JsonObject | undefined) =>
  Array.isArray(body?.accepts) ? body.accepts.filter(isJsonObject) : [];

/** MPP or L402 as a challenge, or x402 in a header or body. */
function carriesPayment(sent: SentAnswer): boolean {
  if (sent.headers['payment-required'] || ofPaymentIn(sent).length > 0) return true;
  const bodies = [readObject(sent.text), asMembers(sent.error?.data)];
  return bodies.some((body) => (body?.x402Version ?? null) !== null || offersIn(body).length > 0);
}

/** Without one, it may be a page or an error that passes. */
export const hasOffer = (sent: Pick<SentAnswer, 'headers' | 'text'>): boolean =>
  [readObject(sent.text), readBase64Object(sent.headers['payment-required'] ?? '')]
    .flatMap(offersIn)
    .some(({ payTo }) => typeof payTo === 'string') ||
  ofPaymentIn(sent)
    .map(({ parameters }) => [parameters.get('invoice'), readBase64Object(parameters.get('request') ?? '')])
    .some(([invoice, request]) => invoice !== undefined || asMembers(request).amount !== undefined);

/** Whoever calls has to prove that they are no bot. */
export const isBotChallenge = ({ headers }: Pick<SentAnswer, 'headers'>): boolean =>
  /^challenge\b/i.test(headers['cf-mitigated'] ?? '');

export const hasChallenge = (sent: Pick<SentAnswer, 'headers'>): boolean =>
  challengesOf(sent).some(({ scheme }) => !ofPayment.test(scheme));

const loginPath = /(?:^|[/.])(?:log-?in|sign-?in|sso|oauth2?|authorize|auth)(?:[/.]|$)/i;

const leadsToLogin = ({ headers, url }: SentAnswer): boolean =>
  loginPath.test(URL.parse(headers.location ?? '', url)?.pathname ?? '');

const longestMessage = 2000;
const wanted =
  '(?:api[ _-]?key|(?:access|api|auth|bearer|id|oauth|authentication|authori[sz]ation)[ _-]?token|credentials?|authori[sz]ation(?: header)?|authentication|log-?in|sign-?in)';
const askingWords = new RegExp(
  [
    '\\bunauthori[sz]ed\\b|\\bunauthenticated\\b|\\bnot (?:authenticated|logged in|signed in)\\b',
    `\\b${wanted}\\b[^.<>]{0,30}\\b(?:required|missing|not provided|needed|invalid)\\b`,
    `\\b(?:missing|invalid|no|requires?|provide|needs?)\\b[^.<>]{0,30}\\b${wanted}\\b`,
  ].join('|'),
  'i',
);
const isAsking = (text: string): boolean => text.length <= longestMessage && askingWords.test(text);
const errorTextOf = ({ error }: SentAnswer): string =>
  typeof error?.message === 'string' ? error.message : '';

const isPage = ({ headers, text }: SentAnswer): boolean =>
  /^text\/html\b|^application\/xhtml/i.test(headers['content-type'] ?? '') || /^\s*</.test(text);

/** JSON-RPC 2.0, section 5.1. */
const internalError = -32603;
const unknownMethod = -32601;

/**
 * The first that fits. Words decide only where the endpoint's own program wrote them: in an error of
 * JSON-RPC, or in what refuses a request as malformed. Hosting platforms write theirs with other statuses,
 * also 403 (test/observer/platforms.test.ts).
 */
const table: readonly (readonly [status: string, means: Meaning, when?: (sent: SentAnswer) => boolean])[] = [
  ['401 407', 'credentials'],
  ['402', 'payment', carriesPayment],
  ['any', 'otherwise', isBotChallenge],
  ['429', 'not_asked'],
  ['5xx 6xx 7xx 8xx 9xx', 'silent'],
  ['3xx', 'credentials', leadsToLogin],
  ['400 403', 'credentials', hasChallenge],
  ['2xx 4xx', 'one_session', (sent) => /\balready initiali[sz]ed\b/i.test(errorTextOf(sent))],
  ['2xx 4xx', 'absent', ({ error }) => error?.code === unknownMethod],
  ['2xx 4xx', 'otherwise', ({ error }) => error?.code === internalError],
  ['2xx 4xx', 'credentials', (sent) => isAsking(errorTextOf(sent))],
  ['2xx 4xx', 'otherwise', ({ error }) => error !== undefined],
  ['404 410', 'absent'],
  ['2xx', 'content'],
  ['400 422', 'credentials', (sent) => !isPage(sent) && isAsking(sent.text)],
  ['any', 'otherwise'],
];

const isOf = (statuses: string, status: number): boolean =>
  statuses.split(' ').some((one) => one === 'any' || one === `${status}` || one === `${`${status}`[0]}xx`);

export const meaningOf = (response: SentAnswer, error?: JsonObject): Meaning =>
  table.find(
    ([statuses, , fits]) => isOf(statuses, response.status) && (fits?.({ ...response, error }) ?? true),
  )?.[1] ?? 'otherwise';
