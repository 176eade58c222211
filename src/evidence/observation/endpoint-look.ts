import type { Fetched, NoAnswer } from './answer.ts';

/** What an MCP endpoint sent when it was asked what it is and which tools it has. */
export interface EndpointLook {
  readonly result: 'answered';
  readonly url: string;
  /** Status of the first response. */
  readonly status: number;
  /** Revision of the protocol that was spoken; undefined if the endpoint spoke none. */
  readonly protocol?: string;
  /** `modern`: server/discover; `legacy`: initialize. */
  readonly era?: 'modern' | 'legacy';
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly serverInfo?: Readonly<Record<string, unknown>>;
  /** Tool objects as they were sent; undefined if tools/list gave none, or not all of its pages. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  /** Whether the list of tools was cut off at the cap. */
  readonly isCut?: boolean;
  /** Why not all pages of the list of tools could be read. */
  readonly unread?: NoAnswer;
  /** Every response, in order: for headers and bodies of 401 and 402. */
  readonly responses: readonly Fetched[];
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
}
