import { type Approval, type PinName, pinNames, type SavedView } from '../config/files.ts';
import { day, quoted } from '../core/text.ts';
import type { ComparedListing, Finding } from './criterion.ts';
import type { ListingDocument } from './listing-document.ts';
import { toLocked } from './lock-file.ts';

type Pinned = readonly string[];

/** How the names of locked facts begin that a pin holds, as `remote https://...`; of some the value counts, of `remote` the name. */
const lockedNames: Readonly<Record<PinName, string>> = {
  version: 'version',
  endpoint: 'remote',
  package: 'package',
  tools: 'tools.surface',
  pay_to: 'price.pay_to',
};

const locked = (document: ListingDocument, pin: PinName) =>
  Object.entries(toLocked(document).facts)
    .map(([name, fact]) => [...name.split(' '), ''].slice(0, 2).concat(fact.value, fact.since ?? ''))
    .filter(([kind]) => kind === lockedNames[pin])
    .map(([, subject = '', value = '', since = '']) => ({
      text: pin === 'endpoint' ? subject : `${subject} ${value}`.trim(),
      since,
    }));

/** What a pin of a listing is now, sorted; empty if nothing is recorded, or Dossier does not know it. */
export const pinnedNow = (document: ListingDocument, pin: PinName): string[] =>
  locked(document, pin)
    .map(({ text }) => text)
    .sort();

const same = (a: Pinned, b: Pinned) => a.length === b.length && a.every((text) => b.includes(text));
const listed = (texts: Pinned) => (texts.length > 0 ? texts.map(quoted).join(', ') : 'nothing');

/** What is known of a listing by checks alone: if it is not known now, a pin of it is not broken. */
const ofChecks: readonly PinName[] = ['tools', 'pay_to'];

/** A criterion of an approval: `approved`, `not_moderated` or the name of a pin; of a broken pin what it was, is, and since when. */
export interface ApprovalAnswer extends Finding {
  readonly criterion: string;
  readonly value?: string | number;
  readonly from?: string;
  readonly to?: string;
  /** YYYY-MM-DD. */
  readonly when?: string;
}

const source = 'approvals of the operator of this service';

function judgePin(
  { listing }: ComparedListing,
  { on, pins }: Approval,
  pin: PinName,
): ApprovalAnswer | undefined {
  const before = pins[pin];
  if (before === undefined) return undefined;
  const found = locked(listing, pin);
  const now = found.map(({ text }) => text).sort();
  const about = { criterion: `pin:${pin}`, source, as_of: listing.evidence_snapshot_date };
  if (same(before, now)) return { ...about, result: 'met', fact: `As approved: ${pin} ${listed(now)}.` };
  if (ofChecks.includes(pin) && now.length === 0)
    return { ...about, result: 'unknown', fact: `Approved with ${pin} ${listed(before)}; not known now.` };
  const dates = found.flatMap(({ text, since }) => (before.includes(text) || !since ? [] : [day(since)]));
  const when = dates.sort()[0] ?? listing.evidence_snapshot_date;
  const [from, to] = [listed(before), listed(now)];
  const fact = `Approved on ${on} with ${pin} ${from}; it is ${to}, known since ${when}.`;
  return { ...about, result: 'not_met', fact, from, to, when };
}

function judgeEntry({ listing, now_ms }: ComparedListing, approval: Approval | undefined): ApprovalAnswer {
  const about = { criterion: 'approved', source, as_of: listing.evidence_snapshot_date };
  if (!approval)
    return { ...about, result: 'not_met', fact: 'The operator’s file has no approval of this listing.' };
  const { by, on, reason, until } = approval;
  const given = `Approved on ${on} by ${quoted(by)}: ${quoted(reason)}`;
  const isOver = until !== undefined && now_ms >= Date.parse(until) + 86_400_000;
  if (isOver)
    return { ...about, result: 'not_met', fact: `${given}. That ended after ${until}.`, when: until };
  return { ...about, result: 'met', fact: `${given}${until === undefined ? '' : `; until ${until}`}.` };
}

/** What an approval says of a listing now: that it stands, each pin, and that the operator acted on it; none for a view without approvals. */
export function judgeApproval({ approvals }: SavedView, compared: ComparedListing): ApprovalAnswer[] {
  if (!approvals) return [];
  const { moderation = [], handle, evidence_snapshot_date } = compared.listing;
  const approval = approvals.find((one) => one.handle === handle);
  const moderated: ApprovalAnswer = {
    criterion: 'not_moderated',
    result: 'not_met',
    fact: 'An action of the operator of this service stands against the listing.',
    source,
    as_of: evidence_snapshot_date,
  };
  return [
    judgeEntry(compared, approval),
    ...(approval ? pinNames.flatMap((pin) => judgePin(compared, approval, pin) ?? []) : []),
    ...(moderation.length > 0 ? [moderated] : []),
  ];
}

/** Whether what a listing fails keeps it out: of approvals that mark changes, only that there is none. */
export const keepsOut = (
  { unknown, approvals, on_change }: SavedView,
  { criterion, result }: ApprovalAnswer,
): boolean => {
  if (result === 'met') return false;
  const isOfApproval = approvals !== undefined && /^(?:approved|not_moderated|pin:)/.test(criterion);
  if (isOfApproval) return result === 'not_met' && !(on_change === 'mark' && criterion.startsWith('pin:'));
  return result === 'not_met' || unknown !== 'include';
};
