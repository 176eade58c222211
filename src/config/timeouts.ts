/**
 * Time limits for which there is no setting. They are part of `Context`, so that tests can shorten them.
 */
export const defaultTimeouts = {
  requestHeaders_ms: 10_000,
  request_ms: 15_000,
  /**
   * A connection is closed after this long without a byte in either direction. A subscription sends a comment
   * every 15 s.
   */
  silence_ms: 60_000,
  /**
   * When the service stops, running requests and background work get this long. Docker kills a container
   * after 10 s.
   */
  drain_ms: 8000,
  mcpAnswer_ms: 10_000,
  /** A subscription is ended after this time, and its client opens it again. */
  subscription_ms: 600_000,
  /** One check of a repository, with all its requests, may take this long. */
  repositoryCheck_ms: 8000,
  /** The observer's first and second try of an endpoint, and any other exchange of it, may take this long. */
  observerFirstTry_ms: 6000,
  observerSecondTry_ms: 15_000,
  observerExchange_ms: 30_000,
  /**
   * All requests of one run to one host together may take this long, without the time they wait for their
   * turn.
   */
  observerHost_ms: 120_000,
  /** All requests of one run together may take this long. */
  observerCheck_ms: 600_000,
  /** The thread that checks listings is terminated if its event loop stands still for this long. */
  observerSilence_ms: 20_000,
  /** When the service stops, this thread has this long to stop before it is terminated. */
  observerEnd_ms: 2000,
  webhook_ms: 15_000,
  /**
   * A webhook delivery that takes longer counts as slow: it continues, but frees its slot among the quick
   * ones.
   */
  webhookLate_ms: 1000,
  /** A webhook's address that takes longer is slow and gets no deliveries for a while. */
  webhookSlow_ms: 2000,
  /** Resolving the name of a foreign host may take this long, in addition to the time of the request. */
  name_ms: 5000,
  /** One try of a DNS server by the observer may take this long; there are two tries. */
  observerDns_ms: 3000,
  /** One try of a DNS server by a claim check may take this long; there are two tries. */
  claimDns_ms: 2000,
} as const;

export type Timeouts = Readonly<Record<keyof typeof defaultTimeouts, number>>;
