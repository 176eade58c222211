import type { Context } from '../../context.ts';
import {
  compareDigests,
  compareTools,
  type SurfaceComparison,
} from '../../evidence/kinds/tools/compare-surface.ts';
import { toolDigest } from '../../evidence/kinds/tools/digest.ts';
import type { StoredObservation } from '../../evidence/observation/observation.ts';
import type { ToolSurface } from '../../store/contract/observations.ts';

type Tool = Readonly<Record<string, unknown>>;

const day = (at: string) => at.slice(0, 10);

/** What a caller was shown: tools, or their digests by name. */
export type Shown =
  | { readonly tools: readonly Tool[] }
  | { readonly digests: Readonly<Record<string, string>> };

/** The answer where Dossier has seen no tools of a listing, and why. */
export const toNeverSeen = (handle: string, known: StoredObservation | undefined) => ({
  handle,
  result: 'never_seen' as const,
  message: `Dossier has seen no list of tools of this service. ${known?.reason ?? 'Dossier has not looked at this listing.'}`,
  differs: [],
  untrusted_fields: [],
});

const toDigests = (tools: readonly Tool[]) =>
  tools.map((tool) => ({ name: String(tool.name ?? ''), sha256: toolDigest(tool) }));

/** What is known of each tool of a set that is not stored any more. */
const seenDigests = ({ details }: StoredObservation) =>
  (details?.tools ?? []) as readonly { readonly name: string; readonly sha256: string }[];

const compare = (seen: readonly Tool[], shown: Shown): SurfaceComparison =>
  'tools' in shown ? compareTools(seen, shown.tools) : compareDigests(toDigests(seen), shown.digests);

function compareUnstored(seen: StoredObservation, shown: Shown): SurfaceComparison {
  const digests =
    'digests' in shown
      ? shown.digests
      : Object.fromEntries(toDigests(shown.tools).map(({ name, sha256 }) => [name, sha256]));
  return compareDigests(seenDigests(seen), digests);
}

const mostChanges = 100;

/** When a set of tools that another one followed was last seen; undefined if no change of the newest 100 says so. */
async function seenUntil(
  handle: string,
  set: ToolSurface,
  store: Context['store'],
): Promise<string | undefined> {
  const changes = await store.observations.history(handle, { limit: mostChanges });
  return changes
    .flatMap(({ changes: ofLook }) => ofLook)
    .find(
      ({ kind, subject, before }) =>
        kind === 'tools.surface' && subject === set.remote && before?.value === set.digest,
    )?.before?.seen_until;
}

/** What limits a comparison, in sentences. */
const notes = ({ repeated, not_sent, prefix }: SurfaceComparison) =>
  [
    repeated.length > 0 && 'Some names stand for several tools: see repeated.',
    prefix && 'Your host puts the same characters before every name; they were left out.',
    not_sent.length > 0 && `Not compared, because you sent none: ${not_sent.join(', ')}.`,
  ].filter(Boolean);

/** The answer of a comparison with the tools of one endpoint: with the set that was seen last, or else with one seen before. */
export async function compareWith(handle: string, seen: StoredObservation, shown: Shown, { store }: Context) {
  const stored = await store.observations.surfaces(handle, seen.subject ?? '');
  const isCurrent = ({ digest }: { readonly digest: string }) =>
    digest === seen.value || digest === seen.as_seen?.digest;
  const current = stored.filter(isCurrent).map(({ tools }) => compare(tools, shown));
  if (current.length === 0) current.push(compareUnstored(seen, shown));
  const [closest = compareUnstored(seen, shown)] = current.toSorted(
    (a, b) => a.differs.length - b.differs.length,
  );
  const { differs, repeated, not_sent, prefix, texts } = closest;
  const isSame = differs.length === 0;
  const protocol = typeof seen.as_seen?.protocol === 'string' ? seen.as_seen.protocol : undefined;
  const spoken = protocol ? ` in revision ${protocol} of MCP` : '';
  const since = `since ${day(seen.first_seen_at)}, last on ${day(seen.observed_at)}${spoken}, from ${seen.vantage}`;
  const earlier = isSame
    ? undefined
    : stored.find((set) => !isCurrent(set) && compare(set.tools, shown).differs.length === 0);
  const said = isSame
    ? `These are the tools that Dossier has seen ${since}.`
    : `${differs.length === 1 ? '1 tool differs' : `${differs.length} tools differ`} between these and those that Dossier has seen ${since}.`;
  const until = earlier && (await seenUntil(handle, earlier, store));
  const before =
    earlier &&
    `They are a set that Dossier first saw on ${day(earlier.first_seen_at)}${until ? ` and last on ${day(until)}` : ''}; a later check saw another.`;
  return {
    handle,
    result: isSame ? ('same' as const) : ('other' as const),
    message: [said, before, ...notes(closest)].filter(Boolean).join(' '),
    ...(seen.subject !== undefined && { endpoint: seen.subject }),
    differs,
    ...(repeated.length > 0 && { repeated }),
    ...(not_sent.length > 0 && { not_sent }),
    ...(prefix && { prefix }),
    ...(texts.length > 0 && { texts }),
    digest: String(seen.value),
    first_seen_at: seen.first_seen_at,
    observed_at: seen.observed_at,
    vantage: seen.vantage,
    ...(earlier && {
      earlier: { first_seen_at: earlier.first_seen_at, ...(until && { seen_until: until }) },
    }),
    untrusted_fields: ['differs', 'repeated', 'prefix', 'texts', 'endpoint'],
  };
}
