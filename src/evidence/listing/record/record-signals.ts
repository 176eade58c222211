import type { Listing } from '../listing.ts';
import type { ImportedSignal } from '../listing-document.ts';
import { isSpecified } from '../state/sample.ts';
import { type Reading, whyNoHistory } from './reading.ts';

/** What follows from all versions of a listing: not stated by a source that sends only the newest ones. */
const historyKinds: readonly string[] = ['registry.versions', 'registry.first_published'];

const datesOfSample = ['version', ...historyKinds, 'registry.last_published'];

/** The signals of a listing's record as of its reading; history is `not_stated`, with the reason, where none was sent. */
export function toRecordSignals(
  stored: readonly ImportedSignal[],
  { listing, reading }: { readonly listing: Listing; readonly reading: Reading },
): ImportedSignal[] {
  const { observed_at } = reading;
  const reason = whyNoHistory(reading);
  const notStated = (kind: string): ImportedSignal => ({
    ...{ kind, value: null, source: listing.origin, observed_at, method_version: 'import/1' },
    ...{ state: 'not_stated' as const, reason },
  });
  if (isSpecified(listing)) return datesOfSample.map(notStated);
  return stored.map((signal) =>
    reason !== undefined && historyKinds.includes(signal.kind)
      ? { ...signal, ...notStated(signal.kind) }
      : { ...signal, observed_at },
  );
}
