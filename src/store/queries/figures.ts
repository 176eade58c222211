import type { FigureReads } from '../contract/figures.ts';
import type { Db } from '../engine.ts';
import { selectFeedback } from './feedback.ts';
import { isCurrent } from './ratings/counts.ts';

/** Counts of what people write. */
export const createFigureReads = (db: Db): FigureReads => ({
  async counts() {
    const claimsIn = (state: 'claimed' | 'suspended') =>
      db
        .selectFrom('claim')
        .where('state', '=', state)
        .select(({ fn }) => fn.countAll<number>().as('rows'));
    const openOf = (kind: 'report' | 'feedback') =>
      selectFeedback(db, { state: 'open', kind }).select(({ fn }) => fn.countAll<number>().as('rows'));
    const counted = await db
      .selectNoFrom(({ selectFrom, fn }) => [
        claimsIn('claimed').as('claimed'),
        claimsIn('suspended').as('suspended'),
        selectFrom('rating')
          .where('is_current', '=', isCurrent)
          .select(fn.countAll<number>().as('rows'))
          .as('ratings'),
        openOf('feedback').as('open_feedback'),
        openOf('report').as('open_reports'),
        selectFrom('opt_out')
          .where('state', '=', 'contested')
          .select(fn.countAll<number>().as('rows'))
          .as('contested_opt_outs'),
      ])
      .executeTakeFirstOrThrow();
    return {
      claims: { claimed: Number(counted.claimed), suspended: Number(counted.suspended) },
      ratings: Number(counted.ratings),
      open_feedback: Number(counted.open_feedback),
      open_reports: Number(counted.open_reports),
      contested_opt_outs: Number(counted.contested_opt_outs),
    };
  },
});
