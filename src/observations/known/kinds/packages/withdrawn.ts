import { z } from 'zod';
import { code, dayOf, join, own, say, type Words } from '../../../../core/words.ts';
import { type Advisory, isMalware } from '../../../asked/packages/osv.ts';

type Withdrawn = Readonly<Record<string, string>>;

/** By the id of an advisory that Dossier told before: the day on which OSV withdrew it, or empty. */
export const withdrawn = z.record(z.string(), z.string()).catch({});

const mostKept = 10;

/** The last ones; an advisory may come back. */
export const stillWithdrawn = (all: Withdrawn, found: readonly Pick<Advisory, 'id'>[]): Withdrawn =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([id]) => !found.some((one) => one.id === id))
      .slice(-mostKept),
  );

/** Undefined if there is none, or none of these. */
export function withdrawnWords(all: Withdrawn, of: readonly string[] = Object.keys(all)): Words | undefined {
  const said = Object.entries(all)
    .filter(([id]) => of.includes(id))
    .map(([id, on]) => {
      const what = isMalware(id) && own(' (malicious code)');
      return say`${code(id)}${what}${on === '' ? own(', on a day that it does not state') : say` on ${dayOf(on)}`}`;
    });
  return said.length > 0 ? say`OSV withdrew ${join(said, ', ')}` : undefined;
}
