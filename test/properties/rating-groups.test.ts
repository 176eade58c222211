import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RatingGroup, ratingGroups } from '../../src/evidence/rating/groups.ts';
import { type ClaimedDirectory, openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry } from '../support/entries.ts';

const critic = 'org.critic/c';
const rated = 'com.bad/b';
const other = 'net.other/o';
const repositories = { [critic]: 'critic/c', [rated]: 'bad/b', [other]: 'other/o' } as const;
type Handle = keyof typeof repositories;
const handles = [critic, rated, other] as const;
const hosts = ['mcp.critic.org', 'mcp.bad.com:8443', 'mcp.other.net.', 'mcp.shared.example'];

let directory: ClaimedDirectory;
const capabilities: Partial<Record<Handle, string>> = {};
let versions = 1;
const entryOf = (handle: Handle, server: object = {}) =>
  registryEntry(
    handle,
    {
      version: `1.0.${versions}`,
      repository: { url: `https://github.com/${repositories[handle]}` },
      ...server,
    },
    { updatedAt: new Date(Date.UTC(2026, 9, 3) + versions * 1000).toISOString() },
  );

beforeAll(async () => {
  directory = await openClaimedDirectory({ entries: handles.map((handle) => entryOf(handle)) });
  for (const handle of handles) capabilities[handle] = await directory.claim(handle, repositories[handle]);
  directory.wait(8 * 86_400);
});
afterAll(() => directory.close());

type Record_ = Readonly<Record<string, unknown>> & { readonly id: string; readonly group: RatingGroup };
async function recordsOf(handle: Handle, source: Handle): Promise<Record_[]> {
  const found: Record_[] = [];
  let cursor: string | undefined;
  do {
    const answer = await directory.post('/api/tools/list_ratings', { handle, ...(cursor && { cursor }) });
    const page = (await answer.json()) as { ratings: Record_[]; next_cursor?: string };
    found.push(...page.ratings.filter(({ source_handle }) => source_handle === source));
    cursor = page.next_cursor;
  } while (cursor);
  return found;
}

let made = 0;
const rate = (source: Handle, handle: Handle, outcome: string) =>
  directory.post(
    '/api/tools/submit_rating',
    {
      handle,
      interaction_id: `property-${made++}`,
      interaction_at: directory.context.clock().toISOString(),
      outcome,
      protocol: 'mcp',
      relationship: 'none',
    },
    capabilities[source],
  );

/** A step of somebody other than the critic. */
type Step =
  | { readonly act: 'publish'; readonly by: Handle; readonly repository?: string; readonly host?: string }
  | { readonly act: 'rate'; readonly by: Handle; readonly about: Handle; readonly outcome: string }
  | { readonly act: 'check'; readonly by: Handle }
  | { readonly act: 'feedback' };

const by = fc.constantFrom<Handle>(rated, other);
const steps = (who: fc.Arbitrary<Handle>): fc.Arbitrary<Step> =>
  fc.oneof(
    fc.record(
      {
        act: fc.constant('publish' as const),
        by: who,
        repository: fc.constantFrom('critic/c', 'critic/else', 'bad/b', 'ssh.github.com/critic/c'),
        host: fc.constantFrom(...hosts),
      },
      { requiredKeys: ['act', 'by'] },
    ),
    fc.record({
      act: fc.constant('rate' as const),
      by: who,
      about: fc.constantFrom(...handles),
      outcome: fc.constantFrom('succeeded', 'failed'),
    }),
    fc.record({ act: fc.constant('check' as const), by: who }),
    fc.constant<Step>({ act: 'feedback' }),
  );

async function take(step: Step): Promise<void> {
  if (step.act === 'publish') {
    versions += 1;
    const { repository, host } = step;
    await directory.importEntries([
      entryOf(step.by, {
        repository: repository && { url: `https://github.com/${repository}` },
        ...(host && { remotes: [{ type: 'sse', url: `https://${host}/x` }] }),
      }),
    ]);
  } else if (step.act === 'rate') await rate(step.by, step.about, step.outcome);
  else if (step.act === 'check') {
    directory.wait(31);
    await directory.post('/api/claim-github', { handle: step.by });
  } else await directory.post('/api/tools/submit_feedback', { message: `about ${critic}` });
}

/** Members that follow from the group, which may change. */
const contentOf = ({
  group: _,
  group_reason: __,
  flags: ___,
  overlap_stated_later: ____,
  ...content
}: Record_) => content;
const rankOf = ({ group }: Record_) => ratingGroups.indexOf(group);

describe('a rating by the critic', () => {
  it('is moved to no better group and keeps its content, whatever others import, claim, rate or send', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('succeeded', 'failed'),
        fc.array(steps(by), { minLength: 1, maxLength: 6 }),
        async (outcome, taken) => {
          await rate(critic, rated, outcome);
          for (const step of taken) {
            const before = await recordsOf(rated, critic);
            await take(step);
            const after = await recordsOf(rated, critic);
            expect(after.map(contentOf)).toEqual(before.map(contentOf));
            for (const [at, record] of after.entries())
              expect(rankOf(record)).toBeLessThanOrEqual(rankOf(before[at] ?? record));
          }
        },
      ),
      { numRuns: 15 },
    );
  }, 120_000);

  it('is moved by nothing that the rated listing does alone, except a half of a pair that succeeded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('succeeded', 'failed'),
        fc.array(steps(fc.constant<Handle>(rated)), { minLength: 1, maxLength: 6 }),
        async (outcome, taken) => {
          await rate(critic, rated, outcome);
          const before = await recordsOf(rated, critic);
          for (const step of taken) await take(step);
          for (const [at, record] of (await recordsOf(rated, critic)).entries())
            if (record.group !== before[at]?.group)
              expect([record.outcome, record.group]).toEqual(['succeeded', 'reciprocal']);
        },
      ),
      { numRuns: 15 },
    );
  }, 120_000);
});
