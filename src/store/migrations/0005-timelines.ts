import { zstdCompressSync } from 'node:zlib';
import { sql } from 'kysely';
import type { Db } from '../schema.ts';

type Members = Readonly<Record<string, unknown>>;
interface Former extends Members {
  readonly observed_at: string;
  readonly first_seen_at: string;
  readonly outcome: string;
}
type Part = Members | undefined;
type DatedSpan = Members & { readonly from: string; readonly to: string };

const facts = ['value', 'value_digest', 'outcome', 'asks_for', 'method_version', 'by'] as const;
const beside = ['recorded', 'why', 'response', 'details', 'as_seen', 'one_session_at'] as const;
const places = ['vantage', 'source', 'source_url'] as const;

const keepMembers = (from: Members, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));

/** With their dates. */
function spansOf(one: Former): DatedSpan[] {
  const common = keepMembers(one, [...places, 'method_version']);
  const toSpan = (of: Members, from: unknown, to: unknown, checks = 1): DatedSpan => ({
    ...common,
    ...keepMembers(of, [...facts, 'details']),
    from: String(from),
    to: String(to),
    checks,
  });
  const ofChanges = (of: Members) => {
    const earlier = (of.earlier_changes ?? []) as readonly Members[];
    const all = [...earlier, { ...of, first_seen_at: of.first_seen_at }] as readonly Members[];
    return all.flatMap((change) => {
      const was = change.changed_from as Part;
      const until = was?.seen_until;
      if (!was) return [];
      const { tools, members, counts } = was;
      const items = ((tools ?? members ?? []) as Members[]).map(({ tool, ...item }) => ({
        ...(tool ? { name: tool } : {}),
        ...item,
      }));
      const difference = counts === undefined ? {} : { difference: { items, counts } };
      return [
        toSpan(was, until, until),
        { ...toSpan(change, change.first_seen_at, change.first_seen_at), ...difference },
      ];
    });
  };
  const last = one.last as Former | undefined;
  const missed = one.missed as Part;
  const span = {
    ...toSpan(one, one.first_seen_at, one.observed_at, Number(one.checks ?? 1)),
    ...keepMembers(one, beside),
  };
  const before = last
    ? [...ofChanges(last), toSpan(last, last.first_seen_at, last.observed_at, Number(last.checks ?? 1))]
    : [];
  const ended = missed?.outcome ?? (missed?.unanswered ? 'silent' : 'not_asked');
  const since = missed?.since ?? '';
  const without = (outcome: unknown, kept: Members, at: unknown): DatedSpan => ({
    ...common,
    value: null,
    outcome,
    ...kept,
    from: String(at),
    to: String(at),
    checks: 1,
  });
  const later = missed ? [without(ended, keepMembers(missed, ['why', 'response']), since)] : [];
  const gone = one.absent_since;
  const absent = gone ? [without('absent', keepMembers(missed ?? {}, ['why']), gone)] : [];
  const known = [...before, ...ofChanges(one), span, ...later, ...absent];
  return known.filter(({ from, to }) => from !== '' && to !== '');
}

function merged(spans: readonly DatedSpan[]): DatedSpan[] {
  const kept: DatedSpan[] = [];
  for (const span of spans.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = kept.at(-1);
    const key = ({ value, value_digest, outcome, asks_for }: Members) =>
      JSON.stringify([value, value_digest, outcome, asks_for]);
    if (last && key(last) === key(span))
      kept[kept.length - 1] = {
        ...last,
        ...span,
        from: last.from,
        ...(last.difference ? { difference: last.difference } : {}),
      };
    else kept.push(span);
  }
  return kept;
}

/** Of what an observation remembered before timelines. */
export const toTimeline = (one: Former): Members => ({
  ...keepMembers(one, ['kind', 'subject', 'tally']),
  spans: merged(spansOf(one)),
});

export async function convertObservations(db: Db): Promise<void> {
  let after = '';
  while (true) {
    const { rows } = await sql<{ handle: string; observations: string }>`select handle, observations
      from observation where handle > ${after} order by handle limit 100`.execute(db);
    for (const { handle, observations } of rows) {
      const timelines = JSON.stringify((JSON.parse(observations) as Former[]).map(toTimeline));
      await sql`update observation set observations = ${timelines} where handle = ${handle}`.execute(db);
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.handle;
  }
}

interface FormerList {
  readonly handle: string;
  readonly remote: string;
  readonly surface: string;
  readonly digest: string;
  readonly first_seen_at: string;
  readonly members: string;
}

export async function moveLists(db: Db): Promise<void> {
  while (true) {
    const { rows } = await sql<FormerList>`select * from listed_surface limit 1`.execute(db);
    const [row] = rows;
    if (!row) return;
    const { handle, remote, surface, digest, first_seen_at, members } = row;
    const value = zstdCompressSync(members).toString('base64');
    const bytes = Buffer.byteLength(members);
    await sql`insert into observed_value (handle, kind, subject, digest, first_seen_at, bytes, value)
      values (${handle}, ${`${surface}.surface`}, ${remote}, ${digest}, ${first_seen_at}, ${bytes}, ${value})`.execute(
      db,
    );
    await sql`delete from listed_surface where handle = ${handle} and remote = ${remote}
      and surface = ${surface} and digest = ${digest}`.execute(db);
  }
}
