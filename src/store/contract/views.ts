import type { Change } from '../../evidence/change.ts';

/** The time of a listing in a view, in positions of the stream of changes. */
export interface ViewSpan {
  readonly handle: string;
  /** The change with which it joined; 0 if it was there when the view was first judged. */
  readonly joined_seq: number;
  /** The change with which it left; undefined while it is in the view. */
  readonly left_seq: number | undefined;
}

/** How far a view is judged. */
export interface ViewPass {
  /** The view with its criteria (keyOf in evidence/comparison/saved-view.ts). */
  readonly view: string;
  /** Changes after this position are not in it. */
  readonly seq: number;
  /** When all listings were last judged, RFC 3339 UTC. */
  readonly passed_at: string;
}

/** Which listings are in the operator's views, as they were last judged; a view is named by its key. */
export interface ViewReads {
  /** All views that were judged. */
  passes(): Promise<ViewPass[]>;
  /** Handles of listings in a view that are listed, after a handle and in their order. */
  members(view: string, after: string, limit: number): Promise<string[]>;
  /** How many listings are in a view. */
  count(view: string): Promise<number>;
  /** Those of some listings that are or were in a view. */
  spans(view: string, handles: readonly string[]): Promise<ViewSpan[]>;
  /** The change with which each listing last joined or left a view, newest first. */
  moves(view: string, limit: number): Promise<Change[]>;
  /** Handles in any view that are not listed any more. */
  unlisted(): Promise<string[]>;
}

/** Writes of views inside a transaction. */
export interface ViewWrites extends ViewReads {
  putSpan(view: string, span: ViewSpan): Promise<void>;
  /** Records that all listings were judged, and forgets the views that no node judged since `before`. */
  putPass(pass: ViewPass, before: string): Promise<void>;
}
