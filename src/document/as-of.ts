import { sql } from 'kysely';
import type { Claim, ClaimEvent } from '../claims/claim.ts';
import { foldClaim } from '../claims/fold.ts';
import type { ReceiptKey } from '../claims/receipt-keys.ts';
import { dayOf, ours, own, say, type Words } from '../core/words.ts';
import type { Db } from './schema.ts';

/** YYYY-MM-DD, and the last log entry about the listing until its end. */
export interface AsOf {
  readonly day: string;
  readonly log_index: number | undefined;
  /** The day is not over. */
  readonly is_today?: boolean;
  /** An opt-out line withdrew the listing before the end of the day. */
  readonly is_withdrawn?: boolean;
}

/** RFC 3339. */
export const endOfDay = (day: string): string => `${day}T23:59:59.999Z`;

/** Of what an answer as of a past day has. */
export const leftOutWords = own(
  ' What other listings share with it, lists of names and the texts of ratings are left out; actions of the operator are those of today.',
);

export function asOfWords({ day, log_index, is_today, is_withdrawn }: AsOf): Words {
  const when = own(is_today ? 'which is not over in UTC' : 'the end of the day in UTC');
  const index =
    log_index === undefined
      ? own('no entry of the log is about it by then')
      : say`the last log entry about it by then has the index ${ours(String(log_index))}`;
  const withdrawn = is_withdrawn && own(' The listing was withdrawn then, because of an opt-out line.');
  return say`As of ${dayOf(day)}, ${when}: ${index}.${withdrawn}`;
}

/** `at` is RFC 3339. */
export async function readLastEntry(db: Db, handle: string, at: string): Promise<number | undefined> {
  const { rows } = await sql<{ last: number | null }>`select max(log_index) as last from (
    select log_index from observation_change where handle = ${handle} and at <= ${at}
    union all select log_index from claim_event where handle = ${handle} and at <= ${at}
    union all select log_index from moderation where handle = ${handle} and at <= ${at}
    union all select log_index from rating where subject_handle = ${handle} and created_at <= ${at}
    union all select withdrawn_by from rating where subject_handle = ${handle} and withdrawn_at <= ${at}
    ) as entries`.execute(db);
  const last = rows[0]?.last ?? undefined;
  return last === undefined ? undefined : Number(last);
}

interface Claimed {
  readonly claim: Claim | undefined;
  readonly claimHistory: readonly ClaimEvent[];
  readonly receiptKeys: readonly ReceiptKey[];
}

export function toPastClaim({ claim, claimHistory, receiptKeys }: Claimed, at: string): Claimed {
  const history = claimHistory.filter((event) => event.at <= at);
  const logged = foldClaim(history);
  return {
    claim: logged &&
      claim && {
        handle: claim.handle,
        place_key: logged.root,
        ...logged,
        checked_at: at,
        ...(claim.claimed_at === logged.claimed_at && claim.seen && { seen: claim.seen }),
      },
    claimHistory: history,
    receiptKeys: receiptKeys.flatMap(({ valid_until, ...key }) => {
      if (key.valid_from > at) return [];
      return [{ ...key, ...(valid_until && valid_until <= at && { valid_until }) }];
    }),
  };
}
