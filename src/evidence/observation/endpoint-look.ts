import type { Fetched, NoAnswer } from './answer.ts';

/** How an MCP endpoint introduced itself. */
export interface Introduction {
  /** Status of the response that it came in. */
  readonly status: number;
  /** Revision of the protocol that was spoken. */
  readonly protocol: string;
  /** `modern`: server/discover; `legacy`: initialize. */
  readonly era: 'modern' | 'legacy';
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly serverInfo?: Readonly<Record<string, unknown>>;
}

/** Tool objects as they were sent. */
export interface ToolList {
  readonly result: 'tools';
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  /** Whether the list was cut off at the cap. */
  readonly isCut: boolean;
}

/**
 * What an MCP endpoint sent when it was asked what it is and which tools it has. At least one of `introduction`, `credentials` and
 * `payment` is there: an endpoint that sent none of them gave no answer.
 */
export interface EndpointLook {
  readonly result: 'answered';
  readonly url: string;
  readonly introduction?: Introduction;
  /** The list of tools, or why there is none. */
  readonly list: ToolList | NoAnswer;
  /** The first response that asked for credentials. */
  readonly credentials?: Fetched;
  /** The first response that asked for a payment. */
  readonly payment?: Fetched;
}

/** A TLS certificate as a host presented it. */
export interface TlsLook {
  readonly result: 'certificate';
  readonly issuer: string;
  /** RFC 3339. */
  readonly not_after: string;
  readonly isTrusted: boolean;
  /** Why it is not trusted by this machine's root certificates. */
  readonly fault?: string;
}

/** What DNS has about a host name: how many addresses of each family, and the CAA records that count, as `issue ca.example`. */
export interface DnsLook {
  readonly result: 'dns';
  readonly ipv4: number;
  readonly ipv6: number;
  readonly caa: readonly string[];
  /** Why a part of it is not known; what is known stands. */
  readonly unanswered?: string;
}
