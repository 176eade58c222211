import { other, subject } from './directory.ts';

/** A buyer's question: the one call that answers it, where in the answer, and what stands there. */
export interface Question {
  readonly asks: string;
  readonly tool: string;
  readonly input: object;
  readonly path: string;
  readonly answer: RegExp;
}

/** The most tokens that an answer of a tool may take here. */
export const budgets: Readonly<Record<string, number>> = {
  get_agent: 400,
  search_agents: 300,
  compare_agents: 1000,
  list_ratings: 440,
  list_tags: 50,
  check_surface: 100,
  check_offer: 280,
  get_proof: 1200,
};

const of = (tool: string, input: object, rows: readonly (readonly [string, string, RegExp])[]): Question[] =>
  rows.map(([asks, path, answer]) => ({ asks, tool, input, path, answer }));

/** The requirements of a 402 of x402 for two cents of USDC on Base. */
const asked = {
  x402Version: 2,
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '20000',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      maxTimeoutSeconds: 60,
      payTo: '0x1111111111111111111111111111111111111111',
      extra: { name: 'USDC', version: '2' },
    },
  ],
};

/** Questions of buyers. */
export const questions: readonly Question[] = [
  ...of('get_agent', { handle: subject }, [
    ['What is it?', 'description', /Send SMS/],
    ['What is it called?', 'title', /^SMS gateway$/],
    ['What should I read first?', 'stands_out.0', /^The record asks for 1 secret at its endpoint\.$/],
    ['Who says so?', 'origin', /registry/],
    ['As of when is the record known?', 'signals.imported', /\(record, \d{4}-/],
    ['Is it claimed?', 'lines.whose', /claimed on/],
    ['When was it claimed?', 'lines.whose', /claimed on \d{4}-/],
    ['What does the claim show?', 'lines.whose', /write access to its repository/],
    ['Where is it reached?', 'endpoint', /mcp\.sms\.example\.com/],
    ['Is there a package?', 'lines.where', /npm `sms-gateway@1\.2\.0/],
    ['What does it ask for?', 'lines.asks', /secret header `Authorization`/],
    ['Who publishes it?', 'lines.whose', /Domain sms\.example\.com/],
    ['Who checked that?', 'lines.whose', /proven to the registry/],
    ['Does the endpoint belong to the publisher?', 'lines.whose', /its endpoint is on it/],
    ['Where is its source?', 'repository', /github\.com\/sms\/gateway/],
    ['Which version is it?', 'signals.imported', /^Listing version `1\.0\.0`/],
    ['When was it updated?', 'signals.imported', /published \d{4}-/],
    ['Is it rated?', 'signals.native', /1 rating/],
    ['By how many accounts?', 'signals.native', /: 1 source/],
    ['How did interactions end?', 'signals.native', /1 failed/],
    ['When was it last rated?', 'signals.native', /last \d{4}-/],
    ['Is the rater independent?', 'signals.native', /new source/],
    ['Is that proven?', 'signals.native', /none with a proof/],
    ['What does it cost?', 'unchecked', /^price\b/],
    ['Does it answer?', 'lines.where', /^Endpoint over streamable-http, not checked;/],
    ['What can it do?', 'unchecked', /tools/],
    ['Who operates it?', 'unstated', /operator/],
    ['Is the package built from the public code?', 'unchecked', /package provenance/],
    ['When did the code last change?', 'unchecked', /last commit/],
    ['On what terms?', 'unstated', /terms/],
    ['Is this a recommendation?', 'statement', /not a recommendation/],
    ['As of which date is the evidence?', 'evidence_snapshot_date', /^\d{4}-/],
    ['What can I do next?', 'next', /list_ratings/],
    ['What did the publisher write?', 'untrusted_fields.0', /^title$/],
  ]),
  ...of('get_agent', { handle: other }, [
    ['Is the other one claimed?', 'lines.whose', /not claimed/],
    ['Has the other one ratings?', 'signals.native', /^No ratings here/],
    ['What does the other one need?', 'lines.asks', /Authorization/],
    ['Is what the other one costs known?', 'unchecked', /^price\b/],
  ]),
  ...of('search_agents', { query: 'sms' }, [
    ['Which service sends SMS?', 'listings.0.handle', /sms\/gateway/],
    ['How many are there?', 'total.count', /^1$/],
    ['In which order?', 'order', /relevan|words/i],
    ['Has the hit ratings?', 'listings.0.facts', /rated by/],
    ['Has the hit an endpoint?', 'listings.0.facts', /https/],
  ]),
  ...of('search_agents', { query: 'smss' }, [
    ['What could my word have been?', 'did_you_mean.0.near.0', /^sms$/],
  ]),
  ...of('search_agents', { query: 'send', state: 'claimed' }, [
    ['Which that send are claimed?', 'listings.0.handle', /sms\/gateway/],
  ]),
  ...of('compare_agents', { handles: [subject, other] }, [
    ['Which of two is claimed?', 'listings.0.native.claimed', /^met$/],
    ['Does either answer?', 'listings.0.observed.endpoint_observed_alive', /^unknown$/],
    ['Which is not?', 'listings.1.native.claimed', /^not_met$/],
    ['Does the other ask for a secret?', 'listings.1.imported.needs_no_secret', /./],
    ['Says who?', 'listings.0.record', /registry/],
    ['Is the sum a verdict?', 'statement', /nothing is added up/],
  ]),
  ...of('list_ratings', { handle: subject }, [
    ['Who rated it?', 'ratings.0.source_handle', /^org\.rater\/agent$/],
    ['Which score was given?', 'ratings.0.score', /^2$/],
    ['What did the rater say?', 'ratings.0.comment', /arrived/],
    ['What was rated?', 'ratings.0.outcome', /^failed$/],
    ['What is the id of the rating?', 'ratings.0.rating_id', /^[0-9a-f-]{36}$/],
    ['What is the relation of the rater?', 'ratings.0.relationship', /^customer$/],
    ['Why is it set apart?', 'group_reasons.new_source', /^Set apart until/],
    ['When was the interaction?', 'ratings.0.interaction_at', /^\d{4}-/],
  ]),
  ...of('check_surface', { handle: subject, digests: {} }, [
    ['Are its tools as seen before?', 'result', /^never_seen$/],
  ]),
  ...of('check_offer', { handle: subject, offer: asked }, [
    ['Is the payee of this request the one that was seen before?', 'offers.0.payee', /^not_known$/],
    ['How much is asked for, in what?', 'offers.0.facts.0', /amount 0\.02 USDC \(20000\), asset USDC/],
    ['Why is that not known?', 'message', /has made no observation/],
    ['Does it say that the service delivers?', 'statement', /knows nothing about delivery/],
  ]),
  ...of('list_tags', {}, [['Which tags are there?', 'tags', /./]]),
];

/** The value at a path of names and places; undefined if there is none. */
export const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (found, step) =>
        typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[step] : undefined,
      value,
    );
