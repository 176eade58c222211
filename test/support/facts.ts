import type { Json } from '../../src/core/json.ts';
import { toText, Words, type WordsPart } from '../../src/core/words.ts';
import type { StoredObservation } from '../../src/observations/known/observation.ts';
import { packValue } from '../../src/observations/known/timeline/packed.ts';
import type { Timeline } from '../../src/observations/known/timeline/timeline.ts';
import type { RunReport } from '../../src/observations/observe-listing.ts';
import { toTimeline } from '../../src/store/migrations/0005-timelines.ts';

const textOf = (parts: readonly WordsPart[]) => toText(new Words(parts));

/** A stored fact with its reasons as texts. */
export const readable = ({ why, missed, ...one }: StoredObservation) => ({
  ...one,
  ...(why && { reason: textOf(why) }),
  ...(missed && { missed: { ...missed, reason: textOf(missed.why ?? []) } }),
});
export type Readable = ReturnType<typeof readable>;

/** The report of a check with readable facts. */
export const readableReport = (report: RunReport) => ({
  ...report,
  observations: report.observations.map(readable),
});

/** A reason as it is stored. */
export const said = (text: string): readonly WordsPart[] => [{ is: 'own', text }];

/** Timelines of facts in the form in which the versions before timelines stored them. */
export const toTimelines = (observations: readonly object[]): Timeline[] =>
  observations.map((one) => toTimeline(one as Parameters<typeof toTimeline>[0]) as unknown as Timeline);

/** A list of tools in the form in which it is stored. */
export async function storedTools(
  at: { readonly handle: string; readonly subject: string },
  list: { readonly digest: string; readonly first_seen_at: string; readonly members: readonly object[] },
) {
  const { digest, first_seen_at, members } = list;
  const packed = await packValue(members as unknown as Json, digest);
  if (packed === 'too_large') throw new Error('the list is too large to be stored');
  return { ...at, kind: 'tools.surface', first_seen_at, ...packed };
}
