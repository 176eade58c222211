import type { Fetched, NoAnswer } from './answer.ts';
import type { CatalogLook } from './catalog-look.ts';
import type { DnsLook, EndpointLook, TlsLook } from './endpoint-look.ts';
import type { AdvisoryList, ImageReference, SignedStatement, Unproven } from './package-look.ts';
import type { CommitLook, FileLook, HeadLook, NoHead } from './repository-look.ts';

/** What a look needs of the listing that it is about. */
export interface Subject {
  readonly handle: string;
  readonly remotes: readonly { readonly type: string; readonly url: string }[];
  readonly packages: readonly {
    readonly registry_type: string;
    readonly identifier: string;
    readonly version?: string | undefined;
  }[];
  readonly repository: string | undefined;
  readonly website: string | undefined;
}

/**
 * What the checks of one listing may ask, each answered once per look and shared by all kinds: every request is polite,
 * bounded and without credentials (docs/observations.md). No question throws.
 */
export interface Look {
  /** With at most ten remotes, one for each address. */
  readonly listing: Subject;
  readonly now: Date;
  /** The recorded remote asked as an MCP client would, up to its list of tools; never a call of one. */
  endpoint(remote: { readonly type: string; readonly url: string }): Promise<EndpointLook | NoAnswer>;
  /** What a GET of a public address gives: a response with content, or why there is none. */
  get(url: string): Promise<Fetched | NoAnswer>;
  /** The certificate of an https address. */
  tls(url: string): Promise<TlsLook | NoAnswer>;
  /** Addresses and CAA of a host name. */
  dns(hostname: string): Promise<DnsLook | NoAnswer>;
  /** HEAD of the recorded repository. */
  head(): Promise<HeadLook | NoHead | NoAnswer>;
  /** That commit itself, without its files. */
  commit(): Promise<CommitLook | NoHead | NoAnswer>;
  /** A file of the recorded repository, by its path, at that commit. */
  file(path: string): Promise<FileLook | NoHead | NoAnswer>;
  /** What each catalogue of PRICE_CATALOGS lists for an address; none without that setting. */
  catalogs(url: string): Promise<readonly CatalogLook[]>;
  /** A GET of a path of a package registry, as `/left-pad`; `not_checked` where PACKAGE_REGISTRIES names none. */
  registry(name: 'npm' | 'pypi', path: string): Promise<Fetched | NoAnswer>;
  /** The manifest of a container image. */
  image(image: ImageReference): Promise<Fetched | NoAnswer>;
  /** Whether a Sigstore bundle (JSON) of a statement is signed under the trusted keys. */
  signature(bundle: unknown): Promise<SignedStatement | Unproven | NoAnswer>;
  /** Advisories about a package, from a saved copy: nothing is asked over the network. */
  advisories(ecosystem: 'npm' | 'PyPI', name: string): Promise<AdvisoryList | NoAnswer>;
}
