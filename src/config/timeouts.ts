/**
 * How long the service waits at most, where no setting says so. Part of `Context`, so that tests can shorten
 * them.
 */
export const defaultTimeouts = {
  /** For the headers of a request. */
  requestHeaders_ms: 10_000,
  /** For a whole request. */
  request_ms: 15_000,
  /**
   * A connection on which nothing is sent or read for this long is closed; a subscription sends a comment
   * every 15 s.
   */
  silence_ms: 60_000,
  /**
   * For requests in flight and work in the background when the service stops; then it is cut off. Containers
   * are killed after 10 s.
   */
  drain_ms: 8000,
  /** For the answer to an MCP message; then it is `unavailable`. */
  mcpAnswer_ms: 10_000,
  /** How long a subscription stays open; then the client opens it again. */
  subscription_ms: 600_000,
  /** For one check of a repository: all its requests together. */
  repositoryCheck_ms: 8000,
  /** For the first and the second try of an endpoint by the observer, and for any other exchange of it. */
  observerFirstTry_ms: 6000,
  observerSecondTry_ms: 15_000,
  observerExchange_ms: 30_000,
  /** For all requests of one run to one host together, without waiting for their turn. */
  observerHost_ms: 120_000,
  /** The same for all requests of one run. */
  observerCheck_ms: 600_000,
  /** The thread that checks listings is terminated if its event loop stands still for this long. */
  observerSilence_ms: 20_000,
  /** The time that this thread has to stop with the service before it is terminated. */
  observerEnd_ms: 2000,
  /** For the answer of a webhook's address. */
  webhook_ms: 15_000,
  /**
   * A webhook delivery that takes longer counts as slow: it goes on, and frees its slot among the quick ones.
   */
  webhookLate_ms: 1000,
  /** An address of webhooks that takes longer is slow, and rests. */
  webhookSlow_ms: 2000,
  /** The time to resolve the name of a foreign host, which the time of the request does not include. */
  name_ms: 5000,
  /** For a try of a DNS server by the observer; there are two. */
  observerDns_ms: 3000,
  /** For a try of a DNS server by a claim check; there are two. */
  claimDns_ms: 2000,
} as const;

export type Timeouts = Readonly<Record<keyof typeof defaultTimeouts, number>>;
