import type { Fetched, NoAnswer } from '../net/answer.ts';
import type { HeadRef } from '../net/git.ts';
import type { createAdvisories } from './advisories.ts';
import type { Finding, Question, RecordedSubject } from './observation.ts';

/** What a catalogue lists for one resource; untrusted. */
export interface CatalogItem {
  readonly accepts: readonly unknown[];
  /** As the catalogue states it. */
  readonly last_updated?: string;
}

/** A catalogue of prices: when it was read, and what it lists for the address that was asked for; or why it was not read. */
export type CatalogAnswer = { readonly catalog: string } & (
  | { readonly result: 'read'; readonly read_at: string; readonly item?: CatalogItem }
  | NoAnswer
);

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

/** A tool object as it was sent; untrusted. */
export type Tool = Readonly<Record<string, unknown>>;

/** Tool objects as they were sent. */
export interface ToolList {
  readonly result: 'tools';
  readonly tools: readonly Tool[];
  /** Whether the list was cut off at the cap. */
  readonly isCut: boolean;
}

/**
 * What an MCP endpoint sent when it was asked what it is and which tools it has. At least one of `introduction`, `credentials` and
 * `payment` is there: an endpoint that sent none of them gave no answer.
 */
export interface EndpointAnswer {
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
export interface TlsAnswer {
  readonly result: 'certificate';
  readonly issuer: string;
  /** RFC 3339. */
  readonly not_after: string;
  readonly isTrusted: boolean;
  /** Why it is not trusted by this machine's root certificates. */
  readonly fault?: string;
}

/** What DNS has about a host name: how many addresses of each family, and the CAA records that count, as `issue ca.example`. */
export interface DnsAnswer {
  readonly result: 'dns';
  readonly ipv4: number;
  readonly ipv6: number;
  readonly caa: readonly string[];
  /** Why a part of it is not known; what is known stands. */
  readonly unanswered?: string;
}

/** A container image: registry host, repository, and a tag or digest. */
export interface ImageReference {
  readonly host: string;
  readonly name: string;
  readonly reference: string;
}

/** A statement (in-toto) whose Sigstore signature was checked; what it says is data. */
export interface SignedStatement {
  readonly result: 'signed';
  readonly statement: Readonly<Record<string, unknown>>;
  /** The repository whose build was given the signing certificate. */
  readonly repository?: string;
  /** Who identified the build, as `https://token.actions.githubusercontent.com`. */
  readonly issuer?: string;
}

/** A signature that was checked and is not shown to be right. */
export interface Unproven {
  readonly result: 'unproven';
  /** A sentence that is true when read alone. */
  readonly reason: string;
}

/** The head of a repository's default branch. */
export type HeadAnswer = HeadRef & { readonly result: 'head' };

/** The commit at the head of a repository. */
export interface CommitAnswer {
  readonly result: 'commit';
  readonly commit: string;
  /** RFC 3339, as its committer stated it. */
  readonly committed_at: string;
}

/** That a recorded repository has no head, and why. */
export interface NoHead extends NoAnswer {
  readonly result: 'not_found';
  readonly head: 'gone' | 'empty' | 'moved';
  /** Path of the repository that its host redirects to. */
  readonly moved_to?: string;
}

/** A file of the recorded repository at the commit of its head. `unreadable`: it is there, and is not a text of at most 16 KiB. */
export type FileAnswer =
  | { readonly result: 'file'; readonly commit: string; readonly text: string }
  | { readonly result: 'absent' | 'unreadable'; readonly commit: string };

/** What a run needs of the listing that it is about. */
export interface Subject {
  readonly handle: string;
  readonly remotes: readonly { readonly type: string; readonly url: string }[];
  readonly packages: readonly {
    readonly registry_type: string;
    readonly identifier: string;
    readonly version?: string | undefined;
  }[];
  readonly repository?: string | undefined;
  readonly website?: string | undefined;
}

/**
 * What the checks of one listing may ask, each answered once per run and shared by all kinds: every request is polite,
 * bounded and without credentials (docs/observations.md). No question throws.
 */
export interface Run {
  /** With at most ten remotes, one for each address. */
  readonly listing: Subject;
  readonly now: Date;
  /** The recorded remote asked as an MCP client would, up to its list of tools; never a call of one. */
  endpoint(remote: { readonly type: string; readonly url: string }): Promise<EndpointAnswer | NoAnswer>;
  /** What a GET of a public address gives: a response with content, or why there is none. */
  get(url: string): Promise<Fetched | NoAnswer>;
  /** The certificate of an https address. */
  tls(url: string): Promise<TlsAnswer | NoAnswer>;
  /** Addresses and CAA of a host name. */
  dns(hostname: string): Promise<DnsAnswer | NoAnswer>;
  /** HEAD of the recorded repository. */
  head(): Promise<HeadAnswer | NoHead | NoAnswer>;
  /** That commit itself, without its files. */
  commit(): Promise<CommitAnswer | NoHead | NoAnswer>;
  /** A file of the recorded repository, by its path, at that commit. */
  file(path: string): Promise<FileAnswer | NoHead | NoAnswer>;
  /** What each catalogue of PRICE_CATALOGS lists for an address; none without that setting. */
  catalogs(url: string): Promise<readonly CatalogAnswer[]>;
  /** A GET of a path of a package registry, as `/left-pad`; `not_checked` where PACKAGE_REGISTRIES names none. */
  registry(name: 'npm' | 'pypi', path: string): Promise<Fetched | NoAnswer>;
  /** The manifest of a container image. */
  image(image: ImageReference): Promise<Fetched | NoAnswer>;
  /** Whether a Sigstore bundle (JSON) of a statement is signed under the trusted keys. */
  signature(bundle: unknown): Promise<SignedStatement | Unproven | NoAnswer>;
  /** Advisories about a package, from a saved copy: nothing is asked over the network. */
  readonly advisories: ReturnType<typeof createAdvisories>;
}

/** One kind of fact, defined once: every adapter is a loop over the list of kinds (kinds.ts). */
export interface Kind {
  /** Dotted name, as `endpoint.answers`. */
  readonly kind: string;
  /** The buyer's question that it helps to answer. */
  readonly question: Question;
  /** Its name in plain words. */
  readonly title: string;
  /** What it means, one sentence. */
  readonly means: string;
  /** What must not be concluded from it, one sentence. */
  readonly doesNotMean: string;
  readonly unit?: string;
  /** What a change means, in the present tense and without a full stop, as "It lists other tools"; its date is added. */
  readonly changed?: string;
  /** A value that is observed, in words, where the value itself says little to people, as a digest. */
  readonly shows?: (found: Finding) => string;
  /** Changes when the check, and with it the meaning of the fact, changes. */
  readonly method_version: string;
  /** What of a listing's record its facts are about; none if the kind does not apply to the listing. */
  readonly about: (listing: Subject) => readonly RecordedSubject[];
  /** Whether it may be absent without a word; any other is `not_checked` until it was looked for. */
  readonly isOptional?: true;
  /** Every check changes its facts, so that no change of them is recorded. */
  readonly isTally?: true;
  /** Finds the facts of one listing; none if the kind does not apply to it. Absent: it comes from the registry's record. */
  readonly check?: (run: Run) => Promise<readonly Finding[]>;
}

/** Defines a kind of fact. */
export const defineKind = <const K extends Kind>(kind: K): K & Kind => kind;

/** The tools that one recorded endpoint listed to this service. */
export interface ListedTools {
  readonly endpoint: string;
  readonly state: string;
  readonly reason?: string | undefined;
  /** Merkle root over the tools, hex. */
  readonly digest?: string;
  readonly first_seen_at?: string;
  readonly observed_at?: string;
  readonly vantage?: string;
  readonly tools: readonly Tool[];
}

/** What /agents/<handle>/tools.json and the resource answers. */
export interface ListingTools {
  readonly handle: string;
  readonly statement: string;
  readonly endpoints: readonly ListedTools[];
  readonly untrusted_fields: readonly string[];
}
