import { sql } from 'kysely';
import type { Payee } from '../../core/payee.ts';
import { precompileQuery, upsert } from '../../store/query.ts';
import type { RowOf, TableValue } from '../../store/table.ts';
import { type Db, type PaidAs, payeeTable } from '../schema.ts';
import { toReferenceKey } from './references.ts';

type PayeeRow = RowOf<typeof payeeTable>;

/** `first_seen_at` is of the observation with all payees of an endpoint. */
export interface SeenPayee extends PaidAs {
  readonly network: string;
  readonly address: string;
  readonly as_of: string;
  readonly first_seen_at: string;
}

export const toPayeeKey = (address: string): string => toReferenceKey('pay_to', address);

/** Those of a listing that were seen last. */
const mostFormer = 50;

const selectOf = precompileQuery((db: Db, handle: string) =>
  db.selectFrom('payee').selectAll().where('handle', '=', handle),
);

const idOf = ({ key, network }: Pick<PayeeRow, 'key' | 'network'>) => `${key} ${network}`;

/** No check in between saw a different payee instead. */
function sinceWhen({ as_of, first_seen_at }: SeenPayee, was: PayeeRow | undefined, isFirst: boolean): string {
  if (was && (was.until === null || first_seen_at <= was.seen_at)) return was.since;
  return isFirst ? first_seen_at : as_of;
}

/** Unseen payees become former ones. */
export async function putPayees(db: Db, handle: string, seen: readonly SeenPayee[]): Promise<void> {
  const known = await selectOf(db, handle);
  if (known.length + seen.length === 0) return;
  const before = new Map(known.map((row) => [idOf(row), row]));
  const now = seen.map((one) => {
    const { network, address, as_of: seen_at, endpoints, offers } = one;
    const key = toPayeeKey(address);
    const since = sinceWhen(one, before.get(idOf({ key, network })), known.length === 0);
    const value = { key, handle, network, address, since, seen_at, until: undefined };
    return payeeTable.encode({ ...value, seen: { endpoints, offers } });
  });
  const ids = new Set(now.map(idOf));
  const gone = known.filter((row) => !ids.has(idOf(row))).map((row) => ({ ...row, until: row.seen_at }));
  const kept = gone.toSorted((a, b) => (a.until < b.until ? 1 : -1));
  const old = new Set<string>();
  for (const row of kept.splice(mostFormer)) old.add(idOf(row));
  await upsert(db, 'payee', [...now, ...kept], 'key', 'handle', 'network').execute();
  for (const { key, network } of known.filter((row) => old.has(idOf(row))))
    await db
      .deleteFrom('payee')
      .where('handle', '=', handle)
      .where(({ and }) => and({ key, network }))
      .execute();
}

export async function endPayees(db: Db, handles: readonly string[]): Promise<void> {
  if (handles.length === 0) return;
  const stored = db.updateTable('payee').set(({ ref }) => ({ until: ref('seen_at') }));
  await stored.where('handle', 'in', handles).where('until', 'is', null).execute();
}

const mostRead = 201;

/**
 * Present ones from the first seen, former ones from the last seen: in the order of an index, so that no
 * engine reads more.
 */
function rowsAt(db: Db, when: 'now' | 'before', key: string, network?: string) {
  const ofAddress = db.selectFrom('payee').selectAll().where('key', '=', key);
  const rows = network === undefined ? ofAddress : ofAddress.where('network', '=', network);
  const order = when === 'now' ? 'asc' : 'desc';
  return rows
    .where('until', when === 'now' ? 'is' : 'is not', null)
    .orderBy('until', order)
    .orderBy('since', order)
    .orderBy('handle', order)
    .limit(sql.lit(mostRead));
}

export const readPaidOn = precompileQuery((db: Db, key: string, network: string, limit: number) =>
  db
    .selectFrom(rowsAt(db, 'now', key, network).as('present'))
    .innerJoin('listing', 'listing.handle', 'present.handle')
    .selectAll('listing')
    .where('withdrawn', 'is', null)
    .orderBy('published_at')
    .orderBy('listing.handle')
    .limit(limit),
);

function formerlyPaid(db: Db, limit: number, key: string, network?: string) {
  const last = db
    .selectFrom(rowsAt(db, 'before', key, network).as('ended'))
    .select('ended.handle')
    .select(({ fn }) => fn.max('ended.until').as('until'))
    .groupBy('ended.handle');
  return db
    .selectFrom(last.as('former'))
    .innerJoin('listing', 'listing.handle', 'former.handle')
    .selectAll('listing')
    .select('former.until')
    .where('withdrawn', 'is', null)
    .where('hidden', 'is', null)
    .where(({ not, exists, selectFrom }) => {
      const ofListing = selectFrom('payee')
        .select('payee.key')
        .where('payee.key', '=', key)
        .whereRef('payee.handle', '=', 'former.handle')
        // So that an engine reads the listing's rows and not an index of `until`.
        .where(sql<boolean>`coalesce(payee.until, '') = ''`);
      return not(exists(network === undefined ? ofListing : ofListing.where('payee.network', '=', network)));
    })
    .orderBy('former.until', 'desc')
    .orderBy('listing.handle')
    .limit(limit);
}

const selectFormerlyPaid = precompileQuery(formerlyPaid);

export const readFormerlyPaid = (db: Db, key: string, network: string | undefined, limit: number) =>
  selectFormerlyPaid(db, limit, key, ...(network === undefined ? [] : [network]));

const selectAsked = precompileQuery((db: Db, key: string, network: string, limit: number) => {
  const bounded = [network, '', undefined].flatMap((one) => [
    rowsAt(db, 'now', key, one),
    rowsAt(db, 'before', key, one),
  ]);
  const rows = bounded.map((some) => sql`select * from (${some}) as bounded`);
  return db
    .selectFrom(sql<PayeeRow>`(${sql.join(rows, sql` union `)})`.as('payee'))
    .innerJoin('listing', 'listing.handle', 'payee.handle')
    .selectAll('payee')
    .where('withdrawn', 'is', null)
    .where(sql<boolean>`(payee.until is null or listing.hidden is null)`)
    .orderBy(sql`case when ${network} = '' or payee.network in ('', ${network}) then 0 else 1 end`)
    .orderBy(sql`case when payee.until is null then 0 else 1 end`)
    .orderBy('payee.until', 'desc')
    .orderBy('payee.since')
    .orderBy('payee.handle')
    .orderBy('payee.network')
    .limit(limit);
});

export type AskedPayee = TableValue<typeof payeeTable>;

export const readAsked = async (db: Db, { address, network = '' }: Payee, limit: number) =>
  (await selectAsked(db, toPayeeKey(address), network, limit)).map(payeeTable.decode);
