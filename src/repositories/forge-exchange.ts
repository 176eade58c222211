import type { Outbound, OutboundAnswer, OutboundRequest, OutboundTrouble } from './safe-client.ts';

/** Troubles that are the same for every request to a forge. */
export interface ExchangeTrouble {
  readonly result:
    | OutboundTrouble
    | 'repository_moved'
    | 'redirect_refused'
    | 'host_rate_limited'
    | 'host_error';
  readonly retry_after_s?: number;
}

/** One request to a forge; redirects, rate limits and its own failures are told apart already. */
export type Exchange = (
  request: Omit<OutboundRequest, 'deadline'>,
) => Promise<OutboundAnswer | ExchangeTrouble>;

const loosePath = (url: URL) => url.pathname.toLowerCase().replace(/\.git(?=\/|$)/, '');

/** The same repository spelled by its host: only capitals or `.git` differ. */
const isSameSpelling = (from: URL, to: URL) =>
  to.origin === from.origin &&
  !to.username &&
  !to.password &&
  to.search === '' &&
  loosePath(to) === loosePath(from);

function toTrouble(
  from: URL,
  { status, location, retry_after_s }: OutboundAnswer,
): ExchangeTrouble | undefined {
  const wait = retry_after_s === undefined ? {} : { retry_after_s };
  if (status === 429 || (status === 403 && retry_after_s !== undefined))
    return { result: 'host_rate_limited', ...wait };
  if (status >= 500) return { result: 'host_error', ...wait };
  if (status < 300 || status >= 400) return undefined;
  const to = location && URL.canParse(location, from) ? new URL(location, from) : undefined;
  return { result: to?.origin === from.origin ? 'repository_moved' : 'redirect_refused' };
}

/** Requests to one forge under one deadline. A redirect is taken once, and only to another spelling of the same path. */
export const createExchange =
  (outbound: Outbound, deadline: AbortSignal): Exchange =>
  async (request) => {
    const answer = await outbound.fetch({ ...request, deadline });
    if (answer.result !== 'answer') return answer;
    const to = answer.location && URL.canParse(answer.location, request.url) ? answer.location : undefined;
    const respelled = to ? new URL(to, request.url) : undefined;
    if (!respelled || !isSameSpelling(request.url, respelled))
      return toTrouble(request.url, answer) ?? answer;
    const second = await outbound.fetch({ ...request, url: respelled, deadline });
    return second.result === 'answer' ? (toTrouble(respelled, second) ?? second) : second;
  };
