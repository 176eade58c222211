/** A recorded repository, taken apart: always https, an allowed host, an owner/name path. */
export interface RepositoryPlace {
  /** The host as recorded, lower-cased: a key of REPOSITORY_HOSTS. */
  readonly host: string;
  /** `owner/name` (GitLab: any depth of groups), capitals as recorded, without .git. */
  readonly path: string;
  /** Lower-cased `host/path`; equal for two spellings of one repository. */
  readonly key: string;
}

/** Why a repository's file could not be read, or that it is not there (trust.md section 1, check.result). */
export type RepositoryTrouble =
  | 'file_absent'
  | 'lfs_pointer'
  | 'not_text'
  | 'too_large'
  | 'repository_not_found'
  | 'repository_empty'
  | 'repository_moved'
  | 'redirect_refused'
  | 'host_unreachable'
  | 'host_timeout'
  | 'host_rate_limited'
  | 'host_error';

/** What a look at the repository gave. `pinned`: the file was read at the commit that HEAD named. */
export type RepositoryLook =
  | {
      readonly result: 'file';
      readonly text: string;
      readonly commit?: string;
      readonly branch?: string;
      readonly pinned: boolean;
    }
  | {
      readonly result: RepositoryTrouble;
      readonly commit?: string;
      readonly branch?: string;
      readonly pinned: boolean;
      readonly retry_after_s?: number;
    };

/** Reads one small text file at the root of the default branch of a recorded repository. */
export interface RepositoryReader {
  /** Takes a recorded URL apart; undefined where its form or host is not one we read. */
  place(recordedUrl: string): RepositoryPlace | undefined;
  /** Never throws: every trouble is a result. Nothing fetched is echoed but the file text itself. */
  look(place: RepositoryPlace, fileName: string): Promise<RepositoryLook>;
}
