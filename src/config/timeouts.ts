/** There are no settings for these times. They are part of `Context`, so that tests can shorten them. */
export const defaultTimeouts = {
  requestHeaders_ms: 10_000,
  request_ms: 15_000,
  /**
   * A connection is closed after this long without a byte in either direction. A subscription sends a comment
   * every 15 s.
   */
  silence_ms: 60_000,
  /**
   * Running requests and background work get this long when the service stops. Docker kills a container after
   * 10 s.
   */
  drain_ms: 8000,
  mcpAnswer_ms: 10_000,
  /** Clients open an ended subscription again. */
  subscription_ms: 600_000,
  /** All requests of one check of a repository together get this long. */
  repositoryCheck_ms: 8000,
  observerFirstTry_ms: 6000,
  observerSecondTry_ms: 15_000,
  observerExchange_ms: 30_000,
  /**
   * All requests of one check to one host together get this long, without the time that they wait for their
   * turn.
   */
  observerHost_ms: 120_000,
  /** All requests of one check together get this long. */
  observerCheck_ms: 600_000,
  /** A check that a read began and that takes longer continues, but frees its place for other reads. */
  observerSlow_ms: 30_000,
  /** The thread that checks listings is terminated after its event loop stood still for this long. */
  observerSilence_ms: 20_000,
  /** The thread has this long to stop before it is terminated. */
  observerEnd_ms: 2000,
  webhook_ms: 15_000,
  /** A delivery that takes longer continues, but frees the slot for a quick delivery that it had. */
  webhookLate_ms: 1000,
  /** An address that takes longer gets no deliveries for a while. */
  webhookSlow_ms: 2000,
  /** Resolving the name of a foreign host gets this long, in addition to the time of the request. */
  name_ms: 5000,
  /** A DNS server is asked a second time if no answer comes. Each try gets this long. */
  claimDns_ms: 2000,
} as const;

export type Timeouts = Readonly<Record<keyof typeof defaultTimeouts, number>>;
