import type { Context } from '../context.ts';
import { kinds } from '../evidence/kinds/index.ts';
import { toLeaf } from '../evidence/log/leaf.ts';
import { compareLooks, type DatedFinding, type LookStamp } from '../evidence/observation/compare-looks.ts';
import type { Kind } from '../evidence/observation/kind.ts';
import type { Look } from '../evidence/observation/look.ts';
import type { StoredObservation } from '../evidence/observation/observation.ts';
import type { Transaction } from '../store/store.ts';
import { putSurfaces } from './surfaces.ts';

/** What a look ended with. */
export interface LookReport {
  readonly handle: string;
  readonly observations: readonly StoredObservation[];
  /** How many facts changed. */
  readonly changes: number;
}

/** One kind's facts. A check that fails says so, and does not stop the others. */
async function check(kind: Kind, look: Look, log: Context['log']): Promise<readonly DatedFinding[]> {
  const { kind: name, method_version } = kind;
  try {
    const found = (await kind.check?.(look)) ?? [];
    return found.map((finding) => ({ ...finding, kind: name, method_version }));
  } catch (error) {
    log.warn({ err: error, kind: name, handle: look.listing.handle }, 'a check failed');
    const reason = 'The check failed on our side; the failure was logged.';
    return [{ kind: name, method_version, value: null, state: 'not_checked', reason, source: 'Dossier' }];
  }
}

/** Every fact of a look, stored nowhere. */
export async function findAll(look: Look, log: Context['log']): Promise<DatedFinding[]> {
  const found: DatedFinding[] = [];
  for (const kind of kinds) found.push(...(await check(kind, look, log)));
  return found;
}

/** Writes what a look found in one transaction; every change of a fact is one entry of the log. */
async function write(
  tx: Transaction,
  look: Look,
  { found, stamp }: { found: readonly DatedFinding[]; stamp: LookStamp },
): Promise<LookReport> {
  const { handle } = look.listing;
  const known = await tx.observations.ofListing(handle);
  const { observations, changes } = compareLooks(known?.observations ?? [], found, stamp);
  await tx.observations.put({ handle, observed_at: stamp.at, observations });
  const itemized = await putSurfaces(tx, look, { changes, at: stamp.at });
  if (changes.length > 0) {
    const change = { handle, ...stamp, changes: itemized };
    const log_index = await tx.log.append(toLeaf('observation.changed', change), {
      handle,
      at: stamp.at,
      data: { kinds: [...new Set(changes.map(({ kind }) => kind))] },
    });
    await tx.observations.addChange({ ...change, log_index });
  }
  return { handle, observations, changes: changes.length };
}

/** A look that could not be stored counts as made: the host is not asked again before the next one is due. */
async function putFailure(tx: Transaction, handle: string, at: string): Promise<void> {
  const known = await tx.observations.ofListing(handle);
  await tx.observations.put({ handle, observed_at: at, observations: known?.observations ?? [] });
}

/** Asks every kind of fact of one listing, and stores what was found. Throws only if the store fails. */
export async function observeListing(
  look: Look,
  context: Pick<Context, 'store' | 'log'> & { readonly vantage: string },
): Promise<LookReport> {
  const found = await findAll(look, context.log);
  const stamp = { at: look.now.toISOString(), vantage: context.vantage };
  try {
    return await context.store.write((tx) => write(tx, look, { found, stamp }));
  } catch (error) {
    await context.store.write((tx) => putFailure(tx, look.listing.handle, stamp.at));
    throw error;
  }
}
