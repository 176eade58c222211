/** No settings, but part of `Context`, so that tests can shorten them. */
export const defaultTimeouts = {
  requestHeaders_ms: 10_000,
  request_ms: 15_000,
  /** Without a byte in either direction. A subscription sends a comment every 15 s. */
  silence_ms: 60_000,
  /** For running requests and background work at a stop. Docker kills a container after 10 s. */
  drain_ms: 8000,
  mcpAnswer_ms: 10_000,
  /** Clients open an ended subscription again. */
  subscription_ms: 600_000,
  /** For all requests of one check. */
  repositoryCheck_ms: 8000,
  observerFirstTry_ms: 6000,
  observerSecondTry_ms: 15_000,
  observerExchange_ms: 30_000,
  /** For all requests of one check to one host, without the time that they wait for their turn. */
  observerHost_ms: 120_000,
  /** For all requests of one check. */
  observerCheck_ms: 600_000,
  /** A check that a read began and that takes longer continues, but frees its place for other reads. */
  observerSlow_ms: 30_000,
  /** After its event loop stood still for this long, the thread is terminated. */
  observerSilence_ms: 20_000,
  /** For the thread to stop before it is terminated. */
  observerEnd_ms: 2000,
  webhook_ms: 15_000,
  /** A delivery that takes longer continues, but frees the slot for a quick delivery that it had. */
  webhookLate_ms: 1000,
  /** An address that takes longer gets no deliveries for a while. */
  webhookSlow_ms: 2000,
  /** For the name of a foreign host, in addition to the time of the request. */
  name_ms: 5000,
  /** For each of two tries. */
  claimDns_ms: 2000,
} as const;

export type Timeouts = Readonly<Record<keyof typeof defaultTimeouts, number>>;
