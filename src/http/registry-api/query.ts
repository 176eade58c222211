import { z } from 'zod';
import { readCursor } from '../../evidence/text/cursor.ts';
import { Problem } from '../../problem.ts';

const defaultLimit = 30;
const maxLimit = 100;
const longestSearch = 200;

const trueOrFalse = z.enum(['true', 'false']).transform((text) => text === 'true');

const limit = z.coerce
  .number()
  .int()
  .min(1)
  .transform((most) => Math.min(most, maxLimit))
  .default(defaultLimit);

/** What a list is asked by, as the registry API names it; parameters that it does not know are ignored. */
const query = z.object({
  cursor: z.string().max(2000).optional(),
  limit,
  search: z
    .string()
    .transform((text) => text.trim().slice(0, longestSearch))
    .optional(),
  updated_since: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text).toISOString())
    .optional(),
  version: z.string().max(255).optional(),
  include_deleted: trueOrFalse.optional(),
});

/** A cursor holds the whole question: hosts leave out the search on later pages. */
const position = z.object({
  search: z.string().optional(),
  offset: z.int().min(0).optional(),
  after: z.object({ handle: z.string(), version: z.string(), listed_at: z.string() }).optional(),
  updatedSince: z.iso.datetime().optional(),
  version: z.string().optional(),
  withDeleted: z.boolean(),
});
/** Where a page of a list begins, and what is asked. */
export type Position = z.output<typeof position>;

/** The position that a cursor holds as JSON text. Throws invalid_input. */
const toPosition = (cursor: string | undefined): Position | undefined => {
  const held = z.string().transform((text): unknown => JSON.parse(text));
  const [at] = readCursor(cursor, z.tuple([held.pipe(position)])) ?? [];
  return at;
};

type Sent = Readonly<Record<string, string>>;

function parse<T extends z.ZodType>(schema: T, sent: Sent): z.output<T> {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
  throw new Problem('invalid_input', {
    fields,
    detail: `${fields.map(({ field, message }) => `${field}: ${message}`).join('; ')}.`,
  });
}

/** How many entries a page may have, 1 to 100. Throws invalid_input. */
export const readLimit = (sent: Sent): number => parse(z.object({ limit }), sent).limit;

/** What a list is asked for. Throws invalid_input. */
export function readQuery(sent: Sent): { limit: number; at: Position } {
  const { cursor, limit: most, search, updated_since, version, include_deleted } = parse(query, sent);
  return {
    limit: most,
    at: toPosition(cursor || undefined) ?? {
      search: search || undefined,
      updatedSince: updated_since,
      version: version ?? (search ? 'latest' : undefined),
      withDeleted: include_deleted ?? updated_since !== undefined,
    },
  };
}
