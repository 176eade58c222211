import type { Context } from '../../context.ts';
import { changedTexts } from '../../evidence/kinds/tools/changed-texts.ts';
import {
  compareSurface,
  type ToolDifference,
  type ToolDigests,
} from '../../evidence/kinds/tools/compare-surface.ts';
import type { StoredObservation } from '../../evidence/observation/observation.ts';
import { differenceText } from '../../evidence/text/word-difference.ts';

const mostTexts = 5;
const longestDifference = 400;
const day = (at: string) => at.slice(0, 10);

function seenDigests({ details }: StoredObservation): ToolDigests {
  const tools = details?.tools as readonly { readonly name: string; readonly sha256: string }[] | undefined;
  return Object.fromEntries((tools ?? []).map(({ name, sha256: digest }) => [name, digest]));
}

/** The answer where Dossier has seen no tools of a listing, and why. */
export const toNeverSeen = (handle: string, known: StoredObservation | undefined) => ({
  handle,
  result: 'never_seen' as const,
  message: `Dossier has seen no list of tools of this service. ${known?.reason ?? 'Dossier has not looked at this listing.'}`,
  differs: [],
  untrusted_fields: [],
});

/** The answer of a comparison with the tools of one endpoint. */
export function compareWith(handle: string, seen: StoredObservation, sent: ToolDigests) {
  const differs = compareSurface(seenDigests(seen), sent);
  const since = `since ${day(seen.first_seen_at)}, last on ${day(seen.observed_at)}, from ${seen.vantage}`;
  return {
    handle,
    result: differs.length === 0 ? ('same' as const) : ('other' as const),
    message:
      differs.length === 0
        ? `These are the tools that Dossier has seen ${since}.`
        : `${differs.length === 1 ? '1 tool differs' : `${differs.length} tools differ`} between these and those that Dossier has seen ${since}.`,
    ...(seen.subject !== undefined && { endpoint: seen.subject }),
    differs,
    digest: String(seen.value),
    first_seen_at: seen.first_seen_at,
    observed_at: seen.observed_at,
    vantage: seen.vantage,
    untrusted_fields: ['differs', 'texts', 'endpoint'],
  };
}

interface Compared {
  readonly handle: string;
  readonly endpoint?: string;
  readonly digest: string;
  readonly differs: readonly ToolDifference[];
}

/** How titles and descriptions of tools that differ read, seen by this service and sent by the caller; the first five. */
export async function findTexts(
  { handle, endpoint, digest, differs }: Compared,
  sent: readonly Readonly<Record<string, unknown>>[],
  { store }: Context,
) {
  const names = new Set(differs.map(({ name }) => name));
  const sentOther = sent.filter(({ name }) => names.has(String(name)));
  if (sentOther.length === 0 || endpoint === undefined) return [];
  const surfaces = await store.observations.surfaces(handle, endpoint);
  const seen = surfaces.find((surface) => surface.digest === digest)?.tools ?? [];
  return changedTexts(seen, sentOther, mostTexts).map(({ tool, member, difference }) => ({
    name: tool,
    member,
    difference: differenceText(difference).slice(0, longestDifference).toWellFormed(),
  }));
}
