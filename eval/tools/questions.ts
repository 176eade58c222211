import { other, subject } from './directory.ts';

/** A buyer's question: the one call that answers it, where in the answer, and what stands there. */
export interface Question {
  readonly asks: string;
  readonly tool: string;
  readonly input: object;
  readonly path: string;
  readonly answer: RegExp;
}

const rich = 1200;
/** The most tokens that an answer of a tool may take here. */
export const budgets: Readonly<Record<string, number>> = {
  get_agent: rich,
  search_agents: 300,
  compare_agents: 1000,
  list_ratings: 250,
  list_tags: 50,
  check_surface: 100,
  get_proof: 1200,
};

const of = (tool: string, input: object, rows: readonly (readonly [string, string, RegExp])[]): Question[] =>
  rows.map(([asks, path, answer]) => ({ asks, tool, input, path, answer }));
const fact = (question: string, name: string) => `facts[question=${question}].facts.${name}`;
const unknown = (question: string) => `not_known[question=${question}].state`;

/** Sixty questions of buyers. */
export const questions: readonly Question[] = [
  ...of('get_agent', { handle: subject }, [
    ['What is it?', 'description', /Send SMS/],
    ['What is it called?', 'title', /^SMS gateway$/],
    ['What is known in a sentence or two?', 'summary', /^SMS gateway \(/],
    ['Who says so?', 'origin', /registry/],
    ['As of when is the record known?', 'observed_at', /^\d{4}-/],
    ['Is it claimed?', 'state', /^claimed$/],
    ['When was it claimed?', 'claim.claimed_at', /^\d{4}-/],
    ['When was the claim last checked?', 'claim.checked_at', /^\d{4}-/],
    ['By which repository was it claimed?', 'claim.repository', /sms\/gateway/],
    ['At which commit?', 'claim.commit', /^[0-9a-f]{40}$/],
    ['Where is it reached?', 'endpoint', /mcp\.sms\.example\.com/],
    ['Over which transport?', fact('reach', 'transport'), /streamable-http/],
    ['Is there a package?', fact('reach', 'packages.0'), /npm sms-gateway@1\.2\.0/],
    ['What does it ask for?', fact('access', 'asks_for.0'), /secret header Authorization/],
    ['Who publishes it?', fact('publisher', 'namespace'), /domain sms\.example\.com/],
    ['Where is its source?', 'repository', /github\.com\/sms\/gateway/],
    ['Which version is it?', fact('upkeep', 'version'), /\d/],
    ['When was it updated?', fact('upkeep', 'updated'), /^\d{4}-/],
    ['Is it rated?', 'signals.native.statement', /^(1|No) independent source/],
    ['By how many accounts?', 'signals.native.groups.new_source.sources', /^1$/],
    ['How did interactions end?', 'signals.native.groups.new_source.outcomes.failed', /^1$/],
    ['Which score was given?', 'signals.native.groups.new_source.scores.2', /^1$/],
    ['When was it last rated?', 'signals.native.groups.new_source.last', /^\d{4}-/],
    ['Who rated it?', 'signals.native.recent.0.source_handle', /^org\.rater\/agent$/],
    ['What did the rater say?', 'signals.native.recent.0.comment', /arrived/],
    ['Is the rater independent?', 'signals.native.recent.0.group', /^new_source$/],
    ['What does it cost?', unknown('price'), /^not_stated$/],
    ['Does it answer?', unknown('reach'), /^not_checked$/],
    ['What can it do?', unknown('tools'), /^not_checked$/],
    ['Who operates it?', unknown('publisher'), /^not_stated$/],
    ['Is the package built from the public code?', unknown('code'), /^not_checked$/],
    ['When did the code last change?', unknown('upkeep'), /^not_checked$/],
    ['On what terms?', unknown('terms'), /^not_stated$/],
    ['Is this a recommendation?', 'evidence_snapshot', /not a recommendation/],
    ['As of which date is the evidence?', 'evidence_snapshot_date', /^\d{4}-/],
    ['Where can I read more?', 'links.page', /\/agents\//],
    ['What did the publisher write?', 'untrusted_fields.0', /^summary$/],
  ]),
  ...of('get_agent', { handle: other }, [
    ['Is the other one claimed?', 'state', /^imported$/],
    ['Has the other one ratings?', 'signals.native.statement', /^No native ratings/],
    ['What does the other one need?', fact('access', 'asks_for.0'), /Authorization/],
    ['What of ratings is not known?', unknown('ratings'), /^not_found$/],
  ]),
  ...of('search_agents', { query: 'sms' }, [
    ['Which service sends SMS?', 'listings.0.handle', /sms\/gateway/],
    ['How many are there?', 'total.count', /^1$/],
    ['In which order?', 'order', /relevan|words/i],
    ['Has the hit ratings?', 'listings.0.facts', /rated here/],
    ['Has the hit an endpoint?', 'listings.0.facts', /https/],
  ]),
  ...of('search_agents', { query: 'smss' }, [
    ['What could my word have been?', 'did_you_mean.0.near.0', /^sms$/],
  ]),
  ...of('search_agents', { query: 'send', state: 'claimed' }, [
    ['Which that send are claimed?', 'listings.0.handle', /sms\/gateway/],
  ]),
  ...of('compare_agents', { handles: [subject, other] }, [
    ['Which of two is claimed?', 'listings.0.native.0', /^claimed: met\./],
    ['Which is not?', 'listings.1.native.0', /^claimed: not_met\./],
    ['Does the other ask for a secret?', 'listings.1.imported.1', /^needs_no_secret: /],
    ['Says who?', 'sources.0', /registry/],
    ['Is the sum a verdict?', 'statement', /nothing is added up/],
  ]),
  ...of('list_ratings', { handle: subject }, [
    ['What was rated?', 'ratings.0.outcome', /^failed$/],
    ['What is the id of the rating?', 'ratings.0.rating_id', /^[0-9a-f-]{36}$/],
    ['What is the relation of the rater?', 'ratings.0.relationship', /^customer$/],
    ['Why is it set apart?', 'ratings.0.group_reason', /^Set apart until/],
    ['When was the interaction?', 'ratings.0.interaction_at', /^\d{4}-/],
  ]),
  ...of('check_surface', { handle: subject, digests: {} }, [
    ['Are its tools as seen before?', 'result', /^never_seen$/],
  ]),
  ...of('list_tags', {}, [['Which tags are there?', 'tags', /./]]),
];

/** The value at a path of names, places and `[member=value]`; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  return path
    .replaceAll('[', '.[')
    .split('.')
    .reduce<unknown[]>(
      (found, step) =>
        found.flatMap((one) => {
          const [, member, wanted] = /^\[(\w+)=(\w+)\]$/.exec(step) ?? [];
          if (member && Array.isArray(one)) return one.filter((item) => String(item[member]) === wanted);
          return typeof one === 'object' && one !== null ? [(one as Record<string, unknown>)[step]] : [];
        }),
      [value],
    )
    .find((one) => one !== undefined);
}
