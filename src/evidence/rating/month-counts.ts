import { z } from 'zod';
import { ratingGroups } from './groups.ts';
import { outcomes } from './rating.ts';

/** How many current ratings of one outcome and one group were made in a month. */
export const monthCount = z.object({
  month: z.string().describe('YYYY-MM, UTC'),
  outcome: z.enum(outcomes),
  group: z.enum(ratingGroups),
  ratings: z.int(),
});
export type MonthCount = Readonly<z.infer<typeof monthCount>>;

/** Ratings that are counted by month, the newest first; older ones are left out. */
export const maxRatingsByMonth = 5000;

const monthsCounted = 12;

/** The twelve months up to that of a date (YYYY-MM-DD), oldest first, YYYY-MM. */
export function monthsUntil(date: string): string[] {
  const [year = 0, month = 1] = date.split('-').map(Number);
  return Array.from({ length: monthsCounted }, (_, at) =>
    new Date(Date.UTC(year, month - monthsCounted + at, 1)).toISOString().slice(0, 7),
  );
}
