import type { Context } from '../context.ts';

/** The values of a template's variables, as the caller sent them. */
export type Variables = Readonly<Record<string, string>>;

/** Offers values for one variable, at most 100, from what was typed and from the variables already filled in. */
export type Complete = (typed: string, filled: Variables, context: Context) => Promise<string[]>;

/**
 * One thing that can be read at an address, defined once: MCP, llms.txt and the tests loop over these. Listings
 * are reached by template and completion; no resource ever enumerates them all.
 */
export interface Resource {
  readonly name: string;
  /** A fixed address, or an RFC 6570 template where `complete` is there. */
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: 'application/json' | 'text/markdown' | 'text/plain' | 'text/html;profile=mcp-app';
  /** How long a copy may be kept. */
  readonly fresh_s: number;
  /** What hosts are told of it (`_meta`), where it is listed and where it is read. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Completion for each variable of a template. */
  readonly complete?: Readonly<Record<string, Complete>>;
  /** The text at an address. Answers it or throws a Problem. */
  read(variables: Variables, context: Context): Promise<string>;
}

/** How many values a completion offers. */
export const maxCompletions = 100;
