/** The head of a repository's default branch. */
export interface HeadLook {
  readonly result: 'head';
  readonly commit: string;
  readonly branch?: string;
}

/** The commit at the head of a repository. */
export interface CommitLook {
  readonly result: 'commit';
  readonly commit: string;
  /** RFC 3339, as its committer stated it. */
  readonly committed_at: string;
}

/** That a recorded repository has no head to look at. */
export interface NoHead {
  readonly result: 'gone' | 'empty' | 'moved';
  /** A sentence that is true when read alone. */
  readonly reason: string;
  /** Path of the repository that its host redirects to. */
  readonly moved_to?: string;
}

/** A file of the recorded repository at the commit of its head. `unreadable`: it is there, and is not a text of at most 16 KiB. */
export type FileLook =
  | { readonly result: 'file'; readonly commit: string; readonly text: string }
  | { readonly result: 'absent' | 'unreadable'; readonly commit: string };
