/** How long the service waits at most, where no setting says so. Part of `Context`, so that tests can shorten them. */
export const defaultTimeouts = {
  /** For the headers of a request. */
  requestHeaders_ms: 10_000,
  /** For a whole request. */
  request_ms: 15_000,
  /** For a connection on which nothing is sent or read; a subscription sends a comment every 15 s. */
  silence_ms: 60_000,
  /** For requests in flight and work in the background when the service stops; then it is cut off. Containers are killed after 10 s. */
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
  /** After this time a thread that checks listings and does not answer is ended. */
  observerSilence_ms: 20_000,
  /** For that thread to end when the service stops; then it is ended. */
  observerEnd_ms: 2000,
  /** For the answer of a webhook's address. */
  webhook_ms: 15_000,
  /** A turn at an address of webhooks that takes longer gives its place among the quick ones back, and goes on. */
  webhookLate_ms: 1000,
  /** An address of webhooks that takes longer is slow, and rests. */
  webhookSlow_ms: 2000,
  /** For the addresses of a foreign host, before the time of a request to it begins. */
  name_ms: 5000,
  /** For a try of a DNS server by the observer; there are two. */
  observerDns_ms: 3000,
  /** For a try of a DNS server by a claim check; there are two. */
  claimDns_ms: 2000,
} as const;

export type Timeouts = Readonly<Record<keyof typeof defaultTimeouts, number>>;
