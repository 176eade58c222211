import { surfaceDigest } from '../evidence/kinds/tools/digest.ts';
import { toolsSurface } from '../evidence/kinds/tools/surface.ts';
import { surfaceChanges } from '../evidence/kinds/tools/surface-changes.ts';
import type { Look } from '../evidence/observation/look.ts';
import type { ObservationChange } from '../evidence/observation/observation.ts';
import type { ToolSurface } from '../store/contract/observations.ts';
import type { Transaction } from '../store/store.ts';

/** The tools that endpoints listed, by endpoint. */
export type Surfaces = ReadonlyMap<string, ToolSurface['tools']>;

/** The tools that the endpoints of a look listed: what the kinds have asked, and nothing more. */
export async function listedTools(look: Look): Promise<Surfaces> {
  const listed = new Map<string, ToolSurface['tools']>();
  for (const remote of look.listing.remotes) {
    const endpoint = await look.endpoint(remote);
    if (endpoint.result === 'answered' && endpoint.list.result === 'tools')
      listed.set(remote.url, endpoint.list.tools);
  }
  return listed;
}

/** A changed set of tools as its items: which tools differ, and how; the digests of all of them are left out. */
function itemize(
  { kind, subject, before, after }: ObservationChange,
  known: ToolSurface['tools'],
  now: ToolSurface['tools'],
): ObservationChange {
  const { details: _were, ...was } = before ?? { value: null, state: 'observed', seen_until: '' };
  const { details: _are, ...is } = after;
  return {
    kind,
    ...(subject !== undefined && { subject }),
    before: was,
    after: is,
    items: surfaceChanges(known, now),
  };
}

/**
 * Stores the sets of tools that a look listed if they are new, and returns the changes with those of sets of tools item
 * by item.
 */
export async function putSurfaces(
  tx: Transaction,
  handle: string,
  {
    surfaces,
    changes,
    at,
  }: {
    readonly surfaces: Surfaces;
    readonly changes: readonly ObservationChange[];
    readonly at: string;
  },
): Promise<readonly ObservationChange[]> {
  const itemized = new Map<ObservationChange, ObservationChange>();
  for (const [remote, tools] of surfaces) {
    const digest = surfaceDigest(tools);
    const [known] = await tx.observations.surfaces(handle, remote);
    if (known?.digest === digest) continue;
    await tx.observations.putSurface({ handle, remote, digest, first_seen_at: at, tools });
    const change = changes.find(({ kind, subject }) => kind === toolsSurface.kind && subject === remote);
    if (change?.before && known) itemized.set(change, itemize(change, known.tools, tools));
  }
  return changes.map((change) => itemized.get(change) ?? change);
}
