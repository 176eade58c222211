import { z } from 'zod';
import { toLine } from '../../evidence/text/sanitize.ts';

/** An advisory under the package that it is about; `json` is an Advisory (evidence/observation/look.ts). */
export interface IndexedAdvisory {
  readonly ecosystem: string;
  readonly key: string;
  readonly json: string;
}

const event = z.object({
  introduced: z.string().optional(),
  fixed: z.string().optional(),
  last_affected: z.string().optional(),
});

/** The members of the OSV schema (1.7) that are read. */
const osv = z.object({
  id: z.string().regex(/^[\w.:-]{1,100}$/),
  withdrawn: z.string().optional(),
  summary: z.string().optional(),
  database_specific: z
    .object({ severity: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  affected: z.array(
    z.object({
      package: z.object({ ecosystem: z.string(), name: z.string() }),
      ranges: z.array(z.object({ type: z.string(), events: z.array(event) })).default([]),
      versions: z.array(z.string()).default([]),
    }),
  ),
});

/** The name that a package is indexed under. PEP 503: PyPI's names differ neither in case nor in their separators. */
export const toKey = (ecosystem: string, name: string): string =>
  `${ecosystem}\n${ecosystem === 'PyPI' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name}`;

const short = (text: string | undefined) => toLine((text ?? '').slice(0, 400)).slice(0, 160);

/** What a file of OSV says about packages on npm and PyPI; nothing for a withdrawn advisory, or another text. */
export function readAdvisory(text: string): IndexedAdvisory[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  const { data } = osv.safeParse(parsed);
  if (!data || data.withdrawn) return [];
  const { id, summary, database_specific } = data;
  const severity = short(database_specific?.severity);
  return data.affected
    .filter(({ package: { ecosystem } }) => ecosystem === 'npm' || ecosystem === 'PyPI')
    .map(({ package: { ecosystem, name }, ranges, versions }) => ({
      ecosystem,
      key: toKey(ecosystem, name),
      json: JSON.stringify({ id, summary: short(summary), severity, ranges, versions }),
    }));
}
