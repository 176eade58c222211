import type { RequestedCriterion } from './criteria.ts';

/** The criteria of a comparison that names none. */
export const defaultCriteria: readonly RequestedCriterion[] = [
  { criterion: 'active' },
  { criterion: 'has_endpoint' },
  { criterion: 'has_repository' },
  { criterion: 'endpoint_observed_alive' },
  { criterion: 'updated_within_days', value: 180 },
  { criterion: 'claimed' },
  { criterion: 'native_ratings_at_least', value: 1 },
  { criterion: 'rated_within_days', value: 90 },
];
