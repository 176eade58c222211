import type { Context } from '../context.ts';
import type { Complete } from '../listings/completions.ts';

/** The values of a template's variables, as the caller sent them. */
export type Variables = Readonly<Record<string, string>>;

/** Listings are reached by template and completion; no resource lists them all. */
export interface Resource {
  readonly name: string;
  /** A fixed URI, or an RFC 6570 template if `complete` is present. */
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: 'application/json' | 'text/markdown' | 'text/plain' | 'text/html;profile=mcp-app';
  readonly fresh_s: number;
  /** `_meta` for hosts. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly complete?: Readonly<Record<string, Complete>>;
  /** Throws a Problem. */
  read(variables: Variables, context: Context): Promise<string>;
}
