import type { Context } from '../context.ts';
import type { Complete } from '../listings/completions.ts';

/** As the caller sent them. */
export type Variables = Readonly<Record<string, string>>;

/** No resource lists all listings: templates and completion lead to them. */
export interface Resource {
  readonly name: string;
  /** An RFC 6570 template if there is `complete`. */
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
