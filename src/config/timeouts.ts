/** In `Context`, so that tests can shorten them. */
export const defaultTimeouts = {
  requestHeaders_ms: 10_000,
  request_ms: 15_000,
  /** Without a byte; a subscription sends a comment every 15 s. */
  silence_ms: 60_000,
  /** For what runs at a stop. Docker kills a container after 10 s. */
  drain_ms: 8000,
  mcpAnswer_ms: 10_000,
  /** Clients open it again. */
  subscription_ms: 600_000,
  /** For all requests of a check. */
  repositoryCheck_ms: 8000,
  observerFirstTry_ms: 6000,
  observerSecondTry_ms: 15_000,
  observerExchange_ms: 30_000,
  /** For all requests of a check to one host, without waiting for turns. */
  observerHost_ms: 120_000,
  /** For all requests of a check. */
  observerCheck_ms: 600_000,
  /** A longer check continues, but frees its place for other reads. */
  observerSlow_ms: 30_000,
  /** The thread ends if its event loop stands still for so long. */
  observerSilence_ms: 20_000,
  /** To stop, before the thread is terminated. */
  observerEnd_ms: 2000,
  webhook_ms: 15_000,
  /** A longer delivery continues, but frees its slot for a quick one. */
  webhookLate_ms: 1000,
  /** A slower address gets no deliveries for a while. */
  webhookSlow_ms: 2000,
  /** For a foreign name, in addition to the time of the request. */
  name_ms: 5000,
  /** For each of two tries. */
  claimDns_ms: 2000,
} as const;

export type Timeouts = Readonly<Record<keyof typeof defaultTimeouts, number>>;
