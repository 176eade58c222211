import type { ProblemCode, ProblemFacts } from '../core/problem.ts';
import type { Written } from '../core/words.ts';
import type { ListingDocument as Document } from '../document/listing-document.ts';
import type { Tools } from '../tools/index.ts';

export type ListingDocument = Written<Document>;
export type { Tools };

/** Why a Dossier refused a request: `detail` says what is wrong, `fields` in which fields. */
export interface Problem extends Omit<ProblemFacts, 'detail' | 'allow' | 'limit'> {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
}

export interface ClientOptions {
  /** Address of the Dossier, such as `https://dossier.example`. */
  readonly url: string;
  /** Capability of a claimed listing, for tools that need one. */
  readonly capability?: string;
  /** A longer call is rejected with a DOMException `TimeoutError`; by default 30,000. */
  readonly timeout_ms?: number;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** A refusal of a Dossier; `problem.code` names the reason. */
export class DossierProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.name = 'DossierProblem';
    this.problem = problem;
  }
}

export interface DossierClient {
  /** Calls a tool. Throws DossierProblem if it is refused. */
  call<Name extends keyof Tools>(tool: Name, input: Tools[Name]['input']): Promise<Tools[Name]['answer']>;
  /** Reads a listing. Throws DossierProblem if it is refused. */
  listing(handle: string): Promise<ListingDocument>;
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;

async function readAnswer(url: string, answer: Response): Promise<unknown> {
  const body: unknown = await answer.json().catch((error: unknown) => {
    // Callers tell a time-out or a broken connection by the error's name.
    if (!(error instanceof SyntaxError)) throw error;
  });
  if (answer.ok && body !== undefined) return body;
  if (isProblem(body)) throw new DossierProblem(body);
  throw new Error(`${url} answered with HTTP status ${answer.status} and no JSON of a Dossier`);
}

/** A client of the JSON API of a Dossier. */
export function createClient({ url, capability, timeout_ms = 30_000, ...own }: ClientOptions): DossierClient {
  const base = url.replace(/\/+$/, '');
  const request = async (path: string, init: RequestInit): Promise<unknown> => {
    const headers = {
      accept: 'application/json',
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
      ...(capability && { authorization: `Bearer ${capability}` }),
    };
    const signal = AbortSignal.timeout(timeout_ms);
    const answer = await (own.fetch ?? fetch)(`${base}${path}`, { ...init, headers, signal });
    return readAnswer(`${base}${path}`, answer);
  };
  return {
    call: async (tool, input) =>
      (await request(`/api/tools/${tool}`, {
        method: 'POST',
        body: JSON.stringify(input),
      })) as Tools[typeof tool]['answer'],
    listing: async (handle) => {
      const path = handle.split('/').map(encodeURIComponent).join('/');
      return (await request(`/agents/${path}.json`, { method: 'GET' })) as ListingDocument;
    },
  };
}

/** An x402 client passes `selectedRequirements`; agentkit passes payee, asset and amount. */
type Payment =
  | { readonly paymentRequired: object; readonly selectedRequirements: object }
  | Readonly<Partial<Record<'payTo' | 'url' | 'network' | 'asset' | 'amount', string>>>;

type Comparison = Tools['check_offer'];

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** Only what is compared, because the rest may have any size. */
function toAskedOffer(required: object, selected: object): Record<string, unknown> {
  const { x402Version, resource } = membersOf(required);
  const { url = resource } = membersOf(resource);
  const { scheme, network, amount, maxAmountRequired, asset, payTo, extra, ...stated } = membersOf(selected);
  const { name } = membersOf(extra);
  const offer = { scheme, network, amount, maxAmountRequired, asset, payTo, extra: { name } };
  return { x402Version, resource: url, accepts: [{ ...offer, resource: stated.resource }] };
}

function toComparison(payment: Payment): Comparison['input'] {
  if ('selectedRequirements' in payment)
    return { offer: toAskedOffer(payment.paymentRequired, payment.selectedRequirements) };
  const { payTo, url, network, asset, amount } = payment;
  return { offer: { payTo, network, asset, amount }, ...(url !== undefined && { url }) };
}

const parts = ['payee', 'amount', 'asset', 'network', 'scheme'] as const;
const states = ['as_seen', 'new', 'again', 'seen_until', 'never_seen', 'higher', 'lower', 'not_known'];

/** Any other answer, such as a proxy's, must not look like a comparison without objections. */
function isComparison(answer: unknown): answer is Comparison['answer'] {
  const { offers, more } = membersOf(answer);
  const [first, other] = Array.isArray(offers) ? (offers as unknown[]) : [];
  const offer = membersOf(first);
  const isCompared = parts.every((name) => states.includes(String(offer[name])));
  return isCompared && Array.isArray(offer.facts) && other === undefined && more === undefined;
}

/**
 * Compares a payment with what Dossier saw (check_offer) before it is made: `onBeforePaymentCreation` of an
 * x402 client, `beforePayment` of agentkit. `called` names what you pay for; without it, an x402 payment is
 * compared at the address in the request, whose author can name any. `refuse` returns a reason, or undefined
 * to allow the payment. Throws as `call` does, and unless exactly one offer was compared; then nothing is
 * paid.
 */
export const beforePayment =
  (
    dossier: DossierClient,
    refuse: (answer: Comparison['answer']) => string | undefined,
    called: Pick<Comparison['input'], 'handle' | 'url'> = {},
  ) =>
  async (payment: Payment): Promise<{ abort: true; reason: string } | undefined> => {
    const answer: unknown = await dossier.call('check_offer', { ...toComparison(payment), ...called });
    if (!isComparison(answer)) throw new Error('Dossier did not compare this payment');
    const reason = refuse(answer);
    return reason === undefined ? undefined : { abort: true, reason };
  };
