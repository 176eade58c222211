import { sql } from 'kysely';
import { namespacePrefix } from '../../core/identity.ts';
import type { Json } from '../../core/json.ts';
import { putPayees } from '../../listings/references/payees.ts';
import { redirectsOf, toAdvisoryKey, toReferenceKey } from '../../listings/references/references.ts';
import { replaceChecked } from '../../listings/references/shared.ts';
import { toRepositoryKey } from '../../net/repository-place.ts';
import { foldToolName } from '../../search/tool-names.ts';
import { inChunks, precompileQuery, upsert } from '../../store/query.ts';
import type { TableValue } from '../../store/table.ts';
import { type ChangedFact, toldChanges, turnsTo } from './changes/telling.ts';
import { factsOf } from './kind.ts';
import { endpointAnswers } from './kinds/endpoint.ts';
import { listedNames, toolsSurface } from './kinds/lists/tools.ts';
import { namesOfAdvisories, packageAdvisories } from './kinds/packages/advisories.ts';
import { repositoryExists } from './kinds/repository.ts';
import { rulesOf } from './kinds.ts';
import type { StoredObservation } from './observation.ts';
import { payeesOf, quotedPayees } from './prices/payees.ts';
import {
  changeTable,
  type Db,
  observationTable,
  type StoredValue,
  type ValueAt,
  valueTable,
} from './schema.ts';
import { toFacts } from './standing.ts';
import { unpackValue } from './timeline/packed.ts';
import { aliveAt, type KeptTimelines, timelinesUntil, toFormer } from './timeline/past.ts';
import { between, type Timeline, until, wholeDigestOf } from './timeline/timeline.ts';

export type RecordedChange = TableValue<typeof changeTable>;

/** Beside those of the changes that are told. */
const storedValues = 5;
const mostOfListing_bytes = 8 * 2 ** 20;
const mostOfDomain_bytes = 64 * 2 ** 20;

const readObserved = precompileQuery((db: Db, handle: string) =>
  db.selectFrom('observation').selectAll().where('handle', '=', handle),
);

export const decodeObservations = (observations: string) =>
  toFacts(observationTable.decode({ observations }).observations);

const selectValues = (db: Db, { handle, kind, subject }: ValueAt) =>
  db
    .selectFrom('observed_value')
    .where('handle', '=', handle)
    .where('kind', '=', kind)
    .where('subject', '=', subject);

/** `told` digests stay like the second newest. The newest of each fact go last. */
async function dropBeyond(
  db: Db,
  { from, to, most_bytes, most = 100 }: Record<'from' | 'to', string> & { most_bytes: number; most?: number },
  told: readonly string[] = [],
): Promise<void> {
  await sql`delete from observed_value where handle between ${from} and ${to}
    and (handle, kind, subject, digest) in (
      select handle, kind, subject, digest from (
        select handle, kind, subject, digest, age,
          sum(bytes) over (order by age, first_seen_at desc, handle, kind, subject, digest) as used_bytes
        from (
          select handle, kind, subject, digest, first_seen_at, bytes,
            case when nth > 1 and digest in (${sql.join([...told, ''])}) then 2 else nth end as age
          from (
            select handle, kind, subject, digest, first_seen_at, bytes,
              row_number() over (partition by handle, kind, subject order by first_seen_at desc) as nth
            from observed_value where handle between ${from} and ${to}) as numbered) as aged) as summed
      where age > ${sql.lit(most)} or used_bytes > ${sql.lit(most_bytes)})`.execute(db);
}

/** A withdrawn listing keeps no text of its endpoints. */
export const deleteValues = (db: Db, handles: readonly string[]) =>
  inChunks(handles, async (chunk) => {
    await db.deleteFrom('observed_value').where('handle', 'in', chunk).execute();
  });

/** Lists with fewer tools may be equal by chance. */
const fewestTools = 3;
const mostNamed = 200;

function toReferences(observations: readonly StoredObservation[]) {
  const seen = observations.filter(({ outcome }) => outcome === 'seen');
  const toReference = (
    of: 'tools' | 'tool' | 'pay_to' | 'advisory' | 'moved',
    text: string,
    as_of: string,
  ) => ({
    key: toReferenceKey(of, text),
    kind: of,
    as_of,
  });
  const all = [
    ...quotedPayees(seen).flatMap(({ fact, payees }) =>
      payees.map(({ address }) => toReference('pay_to', address, fact.observed_at)),
    ),
    ...factsOf(packageAdvisories, seen)
      .flatMap(namesOfAdvisories)
      .slice(0, mostNamed)
      .map((id) => toReference('advisory', toAdvisoryKey(id), '')),
    ...factsOf(repositoryExists, seen).flatMap(({ subject, value }) => {
      const [host] = toRepositoryKey(subject ?? '')?.split('/') ?? [];
      const { moved_to: to } = value ?? {};
      return host && to ? [toReference('moved', `${host}/${to}`.toLowerCase(), '')] : [];
    }),
    ...factsOf(endpointAnswers, observations).flatMap(({ subject = '', response, missed }) =>
      redirectsOf(subject, (missed?.response ?? response)?.redirects_to).map(({ key }) =>
        toReference('moved', key, ''),
      ),
    ),
    ...factsOf(toolsSurface, seen).flatMap((one) => {
      const names = listedNames(one.details?.tools);
      const isLong = names.length >= fewestTools;
      return [
        ...(isLong && one.value !== null ? [toReference('tools', one.value, one.observed_at)] : []),
        // The fact has the date, so that the row stays as it is.
        ...names.slice(0, mostNamed).map((name) => toReference('tool', foldToolName(name), '')),
      ];
    }),
  ];
  return [...new Map(all.map((one) => [one.key, one])).values()];
}

/** `known` is what the checks before this one left. */
export interface ObservedListing {
  readonly handle: string;
  readonly observed_at: string;
  readonly timelines: readonly Timeline[];
  readonly known?: KeptTimelines | undefined;
}

const mostChecks = 400;

export const createObservationReads = (db: Db) => ({
  /** Since a time (RFC 3339). */
  async count(since = '') {
    const { listings } = await db
      .selectFrom('observation')
      .where('observed_at', '>=', since)
      .select(({ fn }) => fn.countAll<number>().as('listings'))
      .executeTakeFirstOrThrow();
    return Number(listings);
  },
  async lastRunAt() {
    const newest = db.selectFrom('observation').select('observed_at').orderBy('observed_at', 'desc').limit(1);
    return (await newest.executeTakeFirst())?.observed_at;
  },
  async ofListing(handle: string) {
    const [row] = await readObserved(db, handle);
    if (!row) return undefined;
    const { observations: timelines, ...run } = observationTable.decode(row);
    return { ...run, timelines, observations: toFacts(timelines) };
  },
  /** What stood at a time (RFC 3339), as far as it is stored. */
  async until(handle: string, at: string): Promise<Timeline[]> {
    const [row] = await readObserved(db, handle);
    if (!row) return [];
    const { observations: timelines, former, checks } = observationTable.decode(row);
    return timelinesUntil({ timelines, former, checks }, at);
  },
  /** Facts that stood at the second time (RFC 3339). */
  async between(handle: string, [from, to]: readonly [string, string]) {
    const [row] = await readObserved(db, handle);
    if (!row) return [];
    const { observations: timelines, former, checks = [] } = observationTable.decode(row);
    return aliveAt({ timelines, former }, to).flatMap((one) => {
      const { kind, subject, spans, tally } = one;
      const change = tally ? undefined : between(spans, [from, to], checks, rulesOf(one));
      const turns = change && turnsTo({ ...one, spans: until(spans, to, checks) }, change);
      return change ? [{ kind, ...(subject !== undefined && { subject }), ...change, turns }] : [];
    });
  },
  /** Newest first. `before` is a log index. */
  async history(
    handle: string,
    { before, limit }: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<RecordedChange[]> {
    const all = db.selectFrom('observation_change').selectAll().where('handle', '=', handle);
    const page = before === undefined ? all : all.where('log_index', '<', before);
    return (await page.orderBy('log_index', 'desc').limit(limit).execute()).map(changeTable.decode);
  },
  /** Newest first, without their texts: each may have 2 MiB. */
  async values(at: ValueAt): Promise<StoredValue[]> {
    const stored = selectValues(db, at).select(['digest', 'first_seen_at', 'bytes']);
    const rows = await stored.orderBy('first_seen_at', 'desc').execute();
    return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
  },
  async valueText(at: ValueAt, digest: string): Promise<string | undefined> {
    const row = await selectValues(db, at).select('value').where('digest', '=', digest).executeTakeFirst();
    return row && unpackValue(row.value);
  },
  /** Undefined if it is no longer stored. */
  async whole(handle: string, digest: string): Promise<Json | undefined> {
    const stored = db.selectFrom('observed_value').select('value').where('handle', '=', handle);
    const row = await stored.where('digest', '=', digest).limit(1).executeTakeFirst();
    return row && (JSON.parse(await unpackValue(row.value)) as Json);
  },
  lastRuns: (afterId: number, limit: number) =>
    db
      .selectFrom('listing')
      .leftJoin('observation', 'observation.handle', 'listing.handle')
      .select(['listing.id', 'listing.handle', 'origin', 'observed_at', 'due_since'])
      .where('listing.id', '>', afterId)
      .where('listing.withdrawn', 'is', null)
      .orderBy('listing.id')
      .limit(limit)
      .execute(),
  async pauses(host: string): Promise<ReadonlyMap<string, string>> {
    const rows = await db.selectFrom('observed_pause').selectAll().where('host', '=', host).execute();
    return new Map(rows.map(({ place, not_before }) => [place, not_before]));
  },
});

export const createObservationWrites = (db: Db, touch: (handle: string) => void) => ({
  ...createObservationReads(db),
  /** The listing stays due if an import changed its record after `imported_at`. */
  async put({ handle, observed_at, timelines, known }: ObservedListing, imported_at = observed_at) {
    touch(handle);
    const { due_since: _, ...row } = observationTable.encode({
      handle,
      observed_at,
      observations: timelines,
      checks: [...(known?.checks ?? []), Date.parse(observed_at)].slice(-mostChecks),
      former: known && toFormer(known, timelines, observed_at),
    });
    const observations = toFacts(timelines);
    const due_since = sql<
      string | null
    >`case when observation.due_since > ${imported_at} then observation.due_since end`;
    await db
      .insertInto('observation')
      .values(row)
      .onConflict((conflict) => conflict.column('handle').doUpdateSet({ ...row, due_since }))
      .execute();
    await putPayees(db, handle, payeesOf(observations));
    for (const one of await replaceChecked(db, handle, toReferences(observations))) touch(one);
  },
  setDue: (handles: readonly string[], at: string) =>
    inChunks(handles, async (chunk) => {
      await db.updateTable('observation').set({ due_since: at }).where('handle', 'in', chunk).execute();
    }),
  async addChange(change: RecordedChange) {
    touch(change.handle);
    await db.insertInto('observation_change').values(changeTable.encode(change)).execute();
  },
  async putValue(stored: TableValue<typeof valueTable>) {
    const key = ['handle', 'kind', 'subject', 'digest'] as const;
    await upsert(db, 'observed_value', valueTable.encode(stored), ...key).execute();
  },
  async keepValues(handle: string, facts: readonly ChangedFact[]) {
    const keys = new Set(facts.map(({ kind, subject = '' }) => `${kind}\n${subject}`));
    const stored = db.selectFrom('observed_value').select(['kind', 'subject']).distinct();
    for (const { kind, subject } of await stored.where('handle', '=', handle).execute())
      if (!keys.has(`${kind}\n${subject}`))
        await db
          .deleteFrom('observed_value')
          .where('handle', '=', handle)
          .where('kind', '=', kind)
          .where('subject', '=', subject)
          .execute();
    const domain = namespacePrefix(handle);
    const told = facts.flatMap(toldChanges).flatMap((one) => [one, one.changed_from]);
    const bounds = { from: handle, to: handle, most_bytes: mostOfListing_bytes, most: storedValues };
    await dropBeyond(
      db,
      bounds,
      told.flatMap((one) => wholeDigestOf(one) ?? []),
    );
    // `.` and `/` sort before `0`.
    await dropBeyond(db, { from: `${domain}.`, to: `${domain}0`, most_bytes: mostOfDomain_bytes });
  },
  async putPauses(host: string, pauses: ReadonlyMap<string, string>) {
    for (const [place, not_before] of pauses)
      await upsert(db, 'observed_pause', { host, place, not_before }, 'host', 'place').execute();
  },
  async purgePauses(before: string) {
    await db.deleteFrom('observed_pause').where('not_before', '<', before).execute();
  },
});
