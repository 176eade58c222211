import { type ClaimEvent, placeMember } from '../claims/claim.ts';
import { foldClaim, isProof } from '../claims/fold.ts';
import { type LoggedKeys, toLoggedKeys } from '../claims/receipt-keys.ts';
import { differingFields } from './entry-proof.ts';
import type { AuditedClaim, ShownListing } from './evidence-reader.ts';
import { type AuditFault, rowFault, toShownValue } from './fault.ts';

type DatedKey = LoggedKeys['published'][number] & { readonly valid_from: string; valid_until?: string };
const newestFirst = (keys: readonly DatedKey[]): DatedKey[] =>
  keys.toSorted((a, b) => (`${a.valid_from} ${a.kid_sha256}` < `${b.valid_from} ${b.kid_sha256}` ? 1 : -1));

/** A listing document shows this many, the newest. */
const mostKeys = 20;

/** The newest key is first. Undefined if an event states only how many keys it published. */
function loggedKeys(events: readonly ClaimEvent[], shown: readonly DatedKey[]): DatedKey[] | undefined {
  const known: DatedKey[] = [];
  const open = new Map<string, DatedKey[]>();
  for (const { at, keys } of events) {
    if (typeof keys?.published === 'number') return undefined;
    const { published = [], ended = [] } = (keys ?? {}) as Partial<LoggedKeys>;
    for (const kid_sha256 of ended) {
      for (const key of open.get(kid_sha256) ?? []) key.valid_until = at;
      open.delete(kid_sha256);
    }
    for (const key of published) {
      const dated: DatedKey = { ...key, valid_from: at };
      known.push(dated);
      open.set(key.kid_sha256, [...(open.get(key.kid_sha256) ?? []), dated]);
    }
  }
  // Of keys that were first seen at the same time, the document may show only some.
  const oldest = shown[mostKeys - 1]?.valid_from ?? '';
  const isShown = ({ valid_from, kid_sha256 }: DatedKey) =>
    valid_from > oldest || (valid_from === oldest && shown.some((one) => one.kid_sha256 === kid_sha256));
  return newestFirst(known).filter(isShown);
}

/** Addresses of one repository may differ in these. */
const toPlace = (address: string | undefined) => address?.toLowerCase().replace(/(\.git)?\/*$/, '');
const toComparable = ({ repository, domain, receipt_keys = [], ...claim }: AuditedClaim) => ({
  ...claim,
  place: toPlace(repository ?? domain),
  receipt_keys: newestFirst(
    receipt_keys.flatMap(({ valid_from, valid_until, ...key }) =>
      toLoggedKeys([key], []).published.map((one) => ({
        ...one,
        valid_from,
        ...(valid_until && { valid_until }),
      })),
    ),
  ),
});

const fields = ['state', 'suspended_reason', 'kind', 'place', 'claimed_at', 'commit', 'receipt_keys'];
/** The audit can read these only from a database. */
const rootFields = ['root', 'root_generation', 'first_proved_at'];

export function findClaimFaults({
  handle,
  claim,
  events,
}: Pick<ShownListing, 'handle' | 'claim' | 'events'>): AuditFault[] {
  const where = `claim of ${handle}`;
  const folded = foldClaim(events);
  const said = folded && { ...folded, ...placeMember(folded.kind, folded.place) };
  const decided = events.findLast((event) => event.type === 'suspended' || isProof(event))?.log_index;
  if (!claim && !said) return [];
  const fault = (message: string) => rowFault(where, message, handle);
  if (!claim) return [fault(`no claim is shown, but log entry ${decided} gives it the state ${said?.state}`)];
  if (!said) return [fault(`it is shown as ${claim.state}, but no entry of the log records a proof of it`)];
  const is = toComparable(claim);
  const keys = claim.hasHiddenKeys ? undefined : loggedKeys(events, is.receipt_keys);
  const must = { ...toComparable(said), receipt_keys: keys ?? is.receipt_keys };
  const compared = claim.root === undefined ? fields : [...fields, ...rootFields];
  return differingFields(must, is, compared).map((field) =>
    fault(
      `${field} is ${toShownValue(is[field as keyof typeof is])}, but its events up to log entry ${decided} say ${toShownValue(must[field as keyof typeof must])}`,
    ),
  );
}
