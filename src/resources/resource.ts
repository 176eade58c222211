import type { Context } from '../context.ts';
import type { Complete } from '../listings/completions.ts';

/** The values of a template's variables, as the caller sent them. */
export type Variables = Readonly<Record<string, string>>;

/**
 * One readable resource, defined once: MCP, llms.txt and the tests loop over the list in resources/index.ts.
 * Listings are reached by template and completion; no resource lists them all.
 */
export interface Resource {
  readonly name: string;
  /** A fixed URI, or an RFC 6570 template if `complete` is present. */
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: 'application/json' | 'text/markdown' | 'text/plain' | 'text/html;profile=mcp-app';
  readonly fresh_s: number;
  /** `_meta` for hosts, where the resource is listed and where it is read. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly complete?: Readonly<Record<string, Complete>>;
  /** Returns the text of the resource or throws a Problem. */
  read(variables: Variables, context: Context): Promise<string>;
}
