import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { day_ms } from '../core/text.ts';
import type { Db } from './schema.ts';
import type { Engine, Lease, Leases, Transaction } from './store.ts';

/** Then any node can take it over. */
const expires_ms = 10_000;
/** Before that, a holder stops acting. */
const trusted_ms = 7000;
const renewEvery_ms = 2000;
/** Then an unreleased one is deleted. */
const forgotten_ms = 7 * day_ms;

/** By the database's clock, because those of nodes may differ. */
export const createLeaseReads = (db: Db, { now_ms }: Pick<Engine, 'now_ms'>) => ({
  async find(name: string) {
    const row = await db
      .selectFrom('lease')
      .select(['renewed_at', sql<number>`${now_ms} - renewed_at`.as('age_ms')])
      .where('name', '=', name)
      .executeTakeFirst();
    if (!row) return undefined;
    const isHeld = Math.abs(Number(row.age_ms)) < expires_ms;
    return { isHeld, renewed_at: new Date(Number(row.renewed_at)).toISOString() };
  },
});

export const createLeaseWrites = (db: Db, { now_ms }: Pick<Engine, 'now_ms'>) => ({
  /** Check it first, so that nobody writes without the lease. */
  async isHeldBy({ name, owner }: Pick<Lease, 'name' | 'owner'>) {
    const held = db.selectFrom('lease').select('name').where('name', '=', name);
    return (await held.where('owner', '=', owner).executeTakeFirst()) !== undefined;
  },
  /** False while another has it. */
  async take(name: string, owner: string) {
    const taken = { owner, renewed_at: now_ms };
    const { numInsertedOrUpdatedRows: rows } = await db
      .insertInto('lease')
      .values({ name, ...taken })
      .onConflict((conflict) =>
        // A time in the far future was written before the clock was set back.
        conflict
          .column('name')
          .doUpdateSet(taken)
          .where(sql<boolean>`abs(${now_ms} - lease.renewed_at) >= ${sql.lit(expires_ms)}`),
      )
      .executeTakeFirstOrThrow();
    return rows !== undefined && rows > 0n;
  },
  /** Those still held. */
  async renew(owners: readonly string[]) {
    const renewed = db
      .updateTable('lease')
      .set({ renewed_at: now_ms })
      .where('owner', 'in', [...owners]);
    return new Set((await renewed.returning('owner').execute()).map(({ owner }) => owner));
  },
  release: async (owner: string) => void (await db.deleteFrom('lease').where('owner', '=', owner).execute()),
  releaseOf: async (holder: string) =>
    void (await db.deleteFrom('lease').where('owner', 'like', `${holder}/%`).execute()),
  async purge() {
    await db.deleteFrom('lease').where(sql<number>`${now_ms} - renewed_at`, '>', forgotten_ms).execute();
  },
});

/** From before the write that took or renewed it. */
interface Held {
  readonly lost: AbortController;
  age_ms: () => number;
}

/** On two clocks, because one may stand still or be set back. */
function startWatch(): () => number {
  const steady_ms = performance.now();
  const wall_ms = Date.now();
  return () => Math.max(performance.now() - steady_ms, Date.now() - wall_ms);
}

/** One write renews all. */
export function createLeases(
  { find }: Pick<Leases, 'find'>,
  write: <T>(work: (tx: Pick<Transaction, 'leases'>) => Promise<T>) => Promise<T>,
): Leases {
  const held = new Map<string, Held>();
  const holder = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  const lose = (owner: string) => {
    held.get(owner)?.lost.abort(new Error('the lease was lost'));
    held.delete(owner);
  };
  const renew = async () => {
    const owners = [...held.keys()];
    const since = startWatch();
    const kept = await write((tx) => tx.leases.renew(owners));
    for (const owner of owners) {
      const one = held.get(owner);
      if (!kept.has(owner)) lose(owner);
      else if (one) one.age_ms = since;
    }
  };
  let isRenewing = false;
  const tick = () => {
    for (const { lost, age_ms } of held.values())
      if (age_ms() >= trusted_ms) lost.abort(new Error('the lease could not be renewed in time'));
    if (isRenewing || held.size === 0) return;
    isRenewing = true;
    void renew()
      .catch(() => undefined) // The next tick tries again.
      .finally(() => {
        isRenewing = false;
      });
  };
  const release = async (owner: string) => {
    held.delete(owner);
    await write((tx) => tx.leases.release(owner)).catch(() => undefined);
  };
  return {
    find,
    holder,
    async take(name) {
      if ((await find(name))?.isHeld) return undefined;
      const owner = `${holder}/${randomUUID()}`;
      const one: Held = { lost: new AbortController(), age_ms: startWatch() };
      if (!(await write((tx) => tx.leases.take(name, owner)))) return undefined;
      held.set(owner, one);
      timer ??= setInterval(tick, renewEvery_ms).unref();
      const { signal } = one.lost;
      const isOurs = () => !signal.aborted && one.age_ms() < trusted_ms;
      const end = () => release(owner);
      return { name, owner, signal, isOurs, release: end, [Symbol.asyncDispose]: end };
    },
    releaseOf: (other) => write((tx) => tx.leases.releaseOf(other)),
    async end() {
      clearInterval(timer);
      await Promise.all([...held.keys()].map(release));
    },
  };
}
