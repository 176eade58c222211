import { toText, Words, type WordsPart } from '../../src/core/words.ts';
import type { StoredObservation } from '../../src/observations/observation.ts';
import type { RunReport } from '../../src/observations/observe-listing.ts';

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
