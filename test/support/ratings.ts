/** A submission of a rating of a listing, as submit_rating takes it, with members changed. */
export const ratingOf = (handle: string, change: object = {}) => ({
  handle,
  interaction_id: 'job-1',
  interaction_at: '2026-11-20T10:00:00Z',
  outcome: 'succeeded',
  protocol: 'mcp',
  relationship: 'customer',
  ...change,
});
