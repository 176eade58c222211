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

/** An advisory (OSV) about a package. */
export interface Advisory {
  readonly id: string;
  readonly summary: string;
  /** As the advisory states it; may be empty. */
  readonly severity: string;
  readonly ranges: readonly {
    readonly type: string;
    readonly events: readonly {
      readonly introduced?: string;
      readonly fixed?: string;
      readonly last_affected?: string;
    }[];
  }[];
  readonly versions: readonly string[];
}

/** The advisories about a package in a saved copy, whatever its version. */
export interface AdvisoryList {
  readonly result: 'advisories';
  readonly found: readonly Advisory[];
  /** The copy, with the date on which it was saved. */
  readonly source: string;
}
