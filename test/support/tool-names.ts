/** Every tool in the order it is listed, written out: the one list of the tests, compared with what faces say. */
export const toolNames = [
  'get_agent',
  'search_agents',
  'list_tags',
  'list_ratings',
  'compare_agents',
  'submit_rating',
  'withdraw_rating',
  'respond_to_rating',
  'claim_agent',
  'submit_feedback',
  'get_proof',
];
