import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A tool as a host's search sees it. */
export interface RankedTool {
  readonly name: string;
  readonly description: string;
}

/** The tools of one real server of npm; descriptions end after 400 characters. */
export interface DecoyServer {
  readonly package: string;
  readonly version: string;
  readonly license: string;
  readonly tools: readonly RankedTool[];
}

/** The servers whose tools stand beside ours (decoys.json.gz, written by collect.ts). */
export const readDecoys = (): DecoyServer[] =>
  JSON.parse(String(gunzipSync(readFileSync(new URL('decoys.json.gz', import.meta.url))))) as DecoyServer[];
