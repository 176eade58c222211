import type { Claim, ClaimEvent } from './claim.ts';

/** Its events alone determine these columns. */
export type LoggedClaim = Pick<
  Claim,
  | 'state'
  | 'suspended_reason'
  | 'kind'
  | 'place'
  | 'root'
  | 'root_generation'
  | 'first_proved_at'
  | 'claimed_at'
  | 'commit'
>;

const proofs = ['activated', 'rotated', 'restored', 'moved'] as const satisfies readonly ClaimEvent['type'][];

export const isProof = ({ type }: Pick<ClaimEvent, 'type'>): boolean =>
  (proofs as readonly string[]).includes(type);

export const rootKey = ({ root, root_generation }: Partial<Pick<Claim, 'root' | 'root_generation'>>) =>
  `${root} ${root_generation}`;

type ProofEvent = Pick<ClaimEvent, 'type' | 'at' | 'commit'> &
  Pick<Claim, 'kind' | 'place' | 'root' | 'root_generation'>;

/**
 * A claim that is neither new nor moved keeps its own values, because the listing may record another spelling
 * of the location by now.
 */
export function afterProof(before: LoggedClaim | undefined, event: ProofEvent): LoggedClaim {
  const { type, at, commit, kind, place, root, root_generation } = event;
  const isSameRoot = before && rootKey(before) === rootKey(event);
  const isNew = !before || type === 'activated' || type === 'moved';
  return {
    state: 'claimed',
    suspended_reason: undefined,
    root,
    root_generation,
    first_proved_at: isSameRoot ? before.first_proved_at : at,
    ...(isNew
      ? { kind, place, claimed_at: at, commit }
      : { kind: before.kind, place: before.place, claimed_at: before.claimed_at, commit: before.commit }),
  };
}

export const afterSuspension = <Known extends LoggedClaim>(before: Known, reason: string | undefined) => ({
  ...before,
  state: 'suspended' as const,
  suspended_reason: reason,
});

export function afterEvent(before: LoggedClaim | undefined, event: ClaimEvent): LoggedClaim | undefined {
  if (event.type === 'suspended') return before && afterSuspension(before, event.reason);
  if (!isProof(event)) return before;
  const { repository, domain, root = '', root_generation = 0 } = event;
  return afterProof(before, { ...event, place: repository ?? domain ?? '', root, root_generation });
}

/**
 * In the order of the log. Writes make the row by the same steps, so that the audit can compare it with the
 * events.
 */
export const foldClaim = (events: readonly ClaimEvent[]): LoggedClaim | undefined =>
  events.reduce<LoggedClaim | undefined>(afterEvent, undefined);
