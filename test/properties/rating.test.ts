import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCurrent } from '../../src/ratings/rating.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { opened } from '../support/opened.ts';

const directory = await opened(openClaimedDirectory());
const capability = await directory.claim('com.politicalcomms/api', 'Political-Comms/political-comms-sdk');

interface Answered {
  readonly code?: string;
  readonly status?: string;
  readonly rating_id?: string;
  readonly log_index?: number;
}
const post = async (tool: string, body: object) =>
  (await (await directory.post(`/api/tools/${tool}`, body, capability)).json()) as Answered;

const content = fc.record(
  {
    outcome: fc.constantFrom('succeeded', 'partial', 'failed', 'refused', 'unreachable'),
    protocol: fc.constantFrom('mcp', 'http'),
    relationship: fc.constantFrom('none', 'customer'),
    score: fc.integer({ min: 1, max: 5 }),
    latency_ms: fc.nat(86_400_000),
    comment: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }),
    tags: fc.array(fc.stringMatching(/^[a-z0-9-]{1,8}$/), { maxLength: 5 }),
  },
  { requiredKeys: ['outcome', 'protocol', 'relationship'] },
);
let interaction = 0;
const place = () => ({
  handle: 'co.webhook/webhook',
  interaction_id: `property-${interaction++}`,
  interaction_at: '2026-11-20T10:00:00Z',
});
const time = () => directory.context.clock().toISOString();

describe('a submission', () => {
  it('sent again, its members in any order and hidden letters in its texts, is the same record', async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 4 }), async (said, times) => {
        const body: Record<string, unknown> = { ...place(), interaction_at: time(), ...said };
        const first = await post('submit_rating', body);
        expect(first.status).toBe('created');
        const turned = Object.fromEntries(Object.entries(body).reverse());
        const hidden = said.comment === undefined ? {} : { comment: `\u200b${said.comment}\u202e` };
        const at = { interaction_at: String(body.interaction_at).replace('Z', '+00:00') };
        for (let sent = 0; sent < times; sent++)
          expect(await post('submit_rating', { ...turned, ...hidden, ...at })).toEqual({
            ...first,
            status: 'replayed',
          });
      }),
      { numRuns: 60 },
    );
  });

  it('is one current record at most, through any submissions, amendments and withdrawals', async () => {
    const step = fc.record({
      act: fc.constantFrom('submit', 'submit', 'amend', 'amend an older one', 'withdraw'),
      score: fc.integer({ min: 1, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const body = {
          ...place(),
          interaction_at: time(),
          outcome: 'succeeded',
          protocol: 'mcp',
          relationship: 'none',
        };
        let current: { id: string; score: number } | undefined;
        const older: string[] = [];
        let versions = 0;
        for (const { act, score } of steps) {
          const sizeBefore = await directory.store.log.size();
          const { said, expected } = await take(act, score);
          expect([act, said.code ?? said.status]).toEqual([act, expected]);
          const grew =
            ['created', 'amended'].includes(expected) || (act === 'withdraw' && expected === 'withdrawn');
          expect(await directory.store.log.size()).toBe(sizeBefore + Number(grew));
          const rows = await directory.store.ratings.versions(
            'com.politicalcomms/api',
            body.handle,
            body.interaction_id,
          );
          expect(rows.find(isCurrent)?.id).toBe(current?.id);
        }

        async function take(act: string, score: number): Promise<{ said: Answered; expected: string }> {
          if (act === 'withdraw') {
            if (!current) return { said: { status: 'nothing' }, expected: 'nothing' };
            const said = await post('withdraw_rating', { rating_id: current.id });
            older.push(current.id);
            current = undefined;
            return { said, expected: 'withdrawn' };
          }
          const supersedes = act === 'amend' ? current?.id : act === 'submit' ? undefined : older[0];
          const said = await post('submit_rating', { ...body, score, ...(supersedes && { supersedes }) });
          const expected = expectedOf(score, supersedes);
          if (said.rating_id && expected !== 'replayed') {
            if (current) older.push(current.id);
            versions += 1;
            current = { id: said.rating_id, score };
          }
          return { said, expected };
        }
        function expectedOf(score: number, supersedes: string | undefined): string {
          if (current?.score === score) return 'replayed';
          if (supersedes && supersedes !== current?.id) return 'rating_not_current';
          if (!supersedes && current) return 'rating_exists';
          // What was rated again after it was withdrawn counts like an amendment.
          if (versions >= 6) return 'rating_exists';
          return supersedes ? 'amended' : 'created';
        }
      }),
      { numRuns: 60 },
    );
  });
});
