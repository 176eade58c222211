import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

const judged = z.array(
  z.object({
    id: z.string(),
    query: z.string(),
    kind: z.string(),
    set: z.enum(['tune', 'fresh', 'final', 'blind']),
    relevant: z.array(z.string()),
  }),
);

/** A query with every handle that answers it (README.md says how they were judged). */
export type JudgedQuery = z.output<typeof judged>[number];

const read = (name: string) => readFileSync(new URL(name, import.meta.url));

/** The judged queries of a set. */
export const readJudged = (set: JudgedQuery['set']): JudgedQuery[] =>
  judged.parse(JSON.parse(String(read('judged.json')))).filter((one) => one.set === set);

/** The handles that were read for each query, relevant or not; any other is unjudged. */
export const readRead = (): Record<string, string[]> =>
  z.record(z.string(), z.array(z.string())).parse(JSON.parse(String(gunzipSync(read('read.json.gz')))));
