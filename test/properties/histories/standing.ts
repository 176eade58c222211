import type { Claim, ClaimKind } from '../../../src/claims/claim.ts';
import type { Failure } from './places.ts';
import { handleOf, type Name, names } from './registry.ts';
import type { Step } from './steps.ts';
import type { World } from './world.ts';

const day_ms = 86_400_000;
/** More than the clocks of the nodes are apart. */
const apart_ms = 120_000;

/** How often claims were put to the test, and how often they did not stand it. */
export interface StandingFigures {
  /** Claims in force without a doubt whose host failed for an hour, and those that this ended. */
  hours: number;
  ended: number;
  /**
   * Claims in force of which a first reading found nothing, or a line that moves them; those that another
   * root took before a second.
   */
  missed: number;
  taken: number;
}

interface Standing {
  readonly claim: Claim | undefined;
  /** How many of its capabilities were found published. */
  readonly leaked: number;
  /**
   * Since when readings have not found what proves the claim in force, or a line that would end it; ms since
   * 1970.
   */
  readonly doubtedSince_ms: number | undefined;
}

const isInForce = (claim: Claim | undefined): claim is Claim => claim?.state === 'claimed';
const isSame = (one: Claim, other: Claim | undefined): boolean =>
  one.root === other?.root && one.root_generation === other.root_generation;

const hostsOf: Readonly<Record<ClaimKind, readonly Failure['host'][]>> = {
  repository: ['git', 'raw'],
  profile_repository: ['git', 'raw'],
  well_known: ['web'],
  dns: ['dns'],
  registry_key: ['dns'],
};

/**
 * Whether a step may end or move the claim of a listing at once: the holder's own act, the operator's, the
 * registry's, a lost database.
 */
function actsAtOnce(step: Step, name: Name): boolean {
  if (step.does === 'ask' || step.does === 'claim') return step.presents && step.at.name === name;
  if (step.does === 'revoke' || step.does === 'publish') return step.name === name;
  return step.does === 'act' || step.does === 'restore';
}

async function readStanding(
  { service: { directory } }: World,
  [name, before, began_ms]: [Name, Standing | undefined, number],
): Promise<Standing> {
  const { store } = directory;
  const claim = await store.claims.claim(handleOf(name));
  const optOuts = await store.optOuts.of(handleOf(name));
  const isDoubted = claim?.missing ?? optOuts.find(({ state }) => state === 'seen');
  const known = before?.claim && isSame(before.claim, claim) ? before.doubtedSince_ms : undefined;
  return {
    claim,
    leaked: await store.claims.leakedCount(handleOf(name)),
    doubtedSince_ms: isInForce(claim) && isDoubted ? (known ?? began_ms) : undefined,
  };
}

/** Whether a claim that was in force and is not any more had what its end needs. */
function isEndedRightly(
  { claim, leaked, doubtedSince_ms }: Standing,
  after: Standing,
  now_ms: number,
): boolean {
  if (after.leaked > leaked) return true;
  if (after.claim?.suspended_reason === 'host_unreachable_30d')
    return now_ms - Date.parse(claim?.checked_at ?? '') >= 30 * day_ms - apart_ms;
  return doubtedSince_ms !== undefined && now_ms - doubtedSince_ms >= day_ms - apart_ms;
}

/** Watches that no claim ends or moves by less than two readings a day apart; counts in `figures`. */
export async function watchStanding(world: World, figures: StandingFigures) {
  const now_ms = () => world.service.directory.context.clock().getTime();
  let began_ms = now_ms();
  let standing = new Map<Name, Standing>();
  const read = async () =>
    new Map(
      await Promise.all(
        names.map(
          async (name) => [name, await readStanding(world, [name, standing.get(name), began_ms])] as const,
        ),
      ),
    );
  standing = await read();

  function judge(step: Step, name: Name, [before, after]: [Standing, Standing]): string[] {
    if (!isInForce(before.claim)) return [];
    const stands = isInForce(after.claim) && isSame(before.claim, after.claim);
    const wasCertain = before.doubtedSince_ms === undefined;
    const isHour = step.does === 'outage' && wasCertain && hostsOf[before.claim.kind].includes(step.host);
    if (isHour) figures.hours += 1;
    if (stands && wasCertain && after.doubtedSince_ms !== undefined) figures.missed += 1;
    if (stands || actsAtOnce(step, name) || isEndedRightly(before, after, now_ms())) return [];
    if (isHour) figures.ended += 1;
    if (isInForce(after.claim)) figures.taken += 1;
    const { claim } = after;
    return [
      `the claim of ${handleOf(name)} by ${before.claim.root} ended without two readings a day apart: it is ${claim?.state} ${claim?.suspended_reason} by ${claim?.root} ${claim?.root_generation}`,
    ];
  }

  return {
    /** To be called after each step. */
    async findBroken(step: Step): Promise<string[]> {
      const before = standing;
      standing = await read();
      const found = [...standing].flatMap(([name, after]) =>
        judge(step, name, [before.get(name) ?? after, after]),
      );
      began_ms = now_ms();
      return found;
    },
  };
}
