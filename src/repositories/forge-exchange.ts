import type { FetchFailure, OutboundClient, OutboundRequest, OutboundResponse } from '../outbound/client.ts';

/** Failures that any request to a forge can have. */
export interface ExchangeFailure {
  readonly result:
    | FetchFailure
    | 'repository_moved'
    | 'redirect_refused'
    | 'host_rate_limited'
    | 'host_error';
  readonly retry_after_s?: number;
  /** Of `repository_moved`: the path that the host redirects to, without .git. */
  readonly moved_to?: string;
}

/** Sends one request to a forge. Redirects, rate limits and server errors arrive as failures, not as responses. */
export type Exchange = (
  request: Omit<OutboundRequest, 'deadline'>,
) => Promise<OutboundResponse | ExchangeFailure>;

/** The repository in the path of a request to git-upload-pack; other redirects name none. */
const movedPath = /^\/([\w.-]{1,100}(?:\/[\w.-]{1,100}){1,8})\/git-upload-pack$/;

const loosePath = (url: URL) => url.pathname.toLowerCase().replace(/\.git(?=\/|$)/, '');

/** Whether two URLs differ only in upper and lower case of the path or in `.git`: how hosts redirect to their own spelling. */
const isSameSpelling = (from: URL, to: URL) =>
  to.origin === from.origin &&
  !to.username &&
  !to.password &&
  to.search === '' &&
  loosePath(to) === loosePath(from);

function toFailure(
  from: URL,
  { status, location, retry_after_s }: OutboundResponse,
): ExchangeFailure | undefined {
  const wait = retry_after_s === undefined ? {} : { retry_after_s };
  if (status === 429 || (status === 403 && retry_after_s !== undefined))
    return { result: 'host_rate_limited', ...wait };
  if (status >= 500) return { result: 'host_error', ...wait };
  if (status < 300 || status >= 400) return undefined;
  const to = location && URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (to?.origin !== from.origin) return { result: 'redirect_refused' };
  const moved_to = movedPath.exec(to.pathname)?.[1]?.replace(/\.git$/, '');
  return { result: 'repository_moved', ...(moved_to && { moved_to }) };
}

/** Requests to one forge under one deadline. Follows one redirect, and only to another spelling of the same path. */
export const createExchange =
  (client: OutboundClient, deadline: AbortSignal): Exchange =>
  async (request) => {
    const response = await client.fetch({ ...request, deadline });
    if (response.result !== 'response') return response;
    const { location } = response;
    const to = location && URL.canParse(location, request.url) ? new URL(location, request.url) : undefined;
    if (!to || !isSameSpelling(request.url, to)) return toFailure(request.url, response) ?? response;
    const second = await client.fetch({ ...request, url: to, deadline });
    return second.result === 'response' ? (toFailure(to, second) ?? second) : second;
  };
