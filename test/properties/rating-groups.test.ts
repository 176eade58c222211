import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RatingGroup, ratingGroups } from '../../src/ratings/groups.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry } from '../support/entries.ts';
import { partOf } from '../support/long.ts';
import { opened } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';

const critic = 'org.critic/c';
const rated = 'com.bad/b';
const other = 'net.other/o';
const repositories = { [critic]: 'critic/c', [rated]: 'bad/b', [other]: 'other/o' } as const;
type Handle = keyof typeof repositories;
const handles = [critic, rated, other] as const;
const hosts = ['mcp.critic.org', 'mcp.bad.com:8443', 'mcp.other.net.', 'mcp.shared.example'];

const capabilities: Partial<Record<Handle, string>> = {};
const claimFiles: Partial<Record<Handle, string>> = {};
let versions = 1;
const entryOf = (handle: Handle, server: object = {}, status = 'active') =>
  registryEntry(
    handle,
    {
      version: `1.0.${versions}`,
      repository: { url: `https://github.com/${repositories[handle]}` },
      ...server,
    },
    { status, updatedAt: new Date(Date.UTC(2026, 9, 3) + versions * 1000).toISOString() },
  );

const directory = await opened(openClaimedDirectory({ entries: handles.map((handle) => entryOf(handle)) }));
/** Git opens a repository that exists already. */
const commit = (handle: Handle, files: Record<string, string>) =>
  directory.git.createRepository(repositories[handle]).commit(files);
for (const handle of handles) {
  commit(handle, { 'README.md': handle });
  await prove(handle);
}
directory.wait(8 * 86_400);
async function look(handle: Handle, more: object = {}) {
  directory.wait(31);
  const answer = await directory.post('/api/claim-github', { handle, ...more });
  return (await answer.json()) as { capability?: string; file_contents?: string; status: string };
}
/** Claims a listing, or claims it again with another capability. */
async function prove(handle: Handle): Promise<void> {
  const { capability, file_contents } = await look(handle, { rotate: true });
  if (!file_contents) return;
  claimFiles[handle] = file_contents;
  commit(handle, { 'dossier-claim.txt': file_contents });
  if ((await look(handle)).status === 'claimed') capabilities[handle] = capability;
}

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
    ratingOf(handle, {
      interaction_id: `property-${made++}`,
      interaction_at: directory.context.clock().toISOString(),
      outcome,
      relationship: 'none',
    }),
    capabilities[source],
  );

/** A step of somebody other than the critic. */
type Step =
  | { readonly act: 'publish'; readonly by: Handle; readonly repository?: string; readonly host?: string }
  | { readonly act: 'rate'; readonly by: Handle; readonly about: Handle; readonly outcome: string }
  | { readonly act: 'amend' | 'withdraw' | 'respond'; readonly by: Handle; readonly about: Handle }
  | { readonly act: 'check' | 'reclaim' | 'recreate' | 'optout' | 'leave'; readonly by: Handle }
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
    fc.record({
      act: fc.constantFrom('amend', 'withdraw', 'respond'),
      by: who,
      about: fc.constantFrom(...handles),
    }),
    fc.record({ act: fc.constantFrom('check', 'reclaim', 'recreate', 'optout', 'leave'), by: who }),
    fc.constant<Step>({ act: 'feedback' }),
  );

/** Changes, withdraws or answers the newest rating of a listing, whoever made it. */
async function touchRating(act: 'amend' | 'withdraw' | 'respond', by: Handle, about: Handle): Promise<void> {
  const answer = await directory.post('/api/tools/list_ratings', { handle: about });
  const [newest] = ((await answer.json()) as { ratings?: Record_[] }).ratings ?? [];
  if (!newest) return;
  const { id: rating_id, interaction_id, interaction_at } = newest;
  const fixed = { handle: about, supersedes: rating_id, interaction_id, interaction_at };
  const [tool, body] = {
    amend: [
      'submit_rating',
      { ...fixed, outcome: 'partial', protocol: 'mcp', relationship: 'none' },
    ] as const,
    withdraw: ['withdraw_rating', { rating_id }] as const,
    respond: ['respond_to_rating', { rating_id, text: 'Not so.' }] as const,
  }[act];
  await directory.post(`/api/tools/${tool}`, body, capabilities[by]);
}

/** What an owner does to its own listing and repository; the listing is there again afterwards. */
const ownActs = {
  check: look,
  reclaim: prove,
  async recreate(by: Handle) {
    directory.git.removeRepository(repositories[by]);
    commit(by, { 'README.md': `another ${made++}` });
    await look(by);
    await prove(by);
  },
  async optout(by: Handle) {
    commit(by, { 'dossier-claim.txt': `${claimFiles[by]}\noptout ${by}\n` });
    await look(by);
    commit(by, { 'dossier-claim.txt': claimFiles[by] ?? '' });
    await look(by);
    await look(by);
  },
  async leave(by: Handle) {
    for (const status of ['deleted', 'active']) {
      versions += 1;
      await directory.importEntries([entryOf(by, {}, status)]);
    }
    await look(by);
  },
};

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
  else if (step.act === 'amend' || step.act === 'withdraw' || step.act === 'respond')
    await touchRating(step.act, step.by, step.about);
  else if (step.act !== 'feedback') await ownActs[step.act](step.by);
  else await directory.post('/api/tools/submit_feedback', { message: `about ${critic}` });
}

/** Earlier steps leave listings without repository or claim, whose owners could then do little. */
async function restoreOthers(): Promise<void> {
  for (const handle of [rated, other] as const) {
    versions += 1;
    await directory.importEntries([entryOf(handle)]);
    await prove(handle);
  }
}

/** Without what follows from the group, which may change, and the response of the rated listing. */
const contentOf = ({
  group: _,
  group_reason: __,
  flags: ___,
  overlap_stated_later: ____,
  response: _____,
  ...content
}: Record_) => content;
const rankOf = ({ group }: Record_) => ratingGroups.indexOf(group);

describe('a rating by the critic', () => {
  it('is moved to no better group but from reciprocal, and keeps its content, whatever others import, claim, rate or send', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('succeeded', 'failed'),
        fc.array(steps(by), { minLength: 1, maxLength: 10 }),
        async (outcome, taken) => {
          await restoreOthers();
          await rate(critic, rated, outcome);
          for (const step of taken) {
            const before = await recordsOf(rated, critic);
            await take(step);
            const after = await recordsOf(rated, critic);
            expect(after.map(contentOf)).toEqual(before.map(contentOf));
            for (const [at, record] of after.entries())
              if (before[at]?.group !== 'reciprocal' || step.act !== 'withdraw')
                expect(rankOf(record)).toBeLessThanOrEqual(rankOf(before[at] ?? record));
          }
        },
      ),
      { numRuns: partOf(2, 5) },
    );
  });

  it('is set apart by nothing that the rated listing did before or does after, unless it praises', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('succeeded', 'failed'),
        fc.array(steps(fc.constant<Handle>(rated)), { minLength: 1, maxLength: 6 }),
        fc.array(steps(fc.constant<Handle>(rated)), { minLength: 1, maxLength: 6 }),
        async (outcome, earlier, later) => {
          await restoreOthers();
          for (const step of earlier) await take(step);
          await restoreOthers();
          expect((await rate(critic, rated, outcome)).status).toBe(200);
          for (const step of later) await take(step);
          for (const record of await recordsOf(rated, critic))
            if (record.group !== 'independent') {
              expect(record.outcome).toBe('succeeded');
              expect(['reciprocal', 'stated_overlap']).toContain(record.group);
            }
        },
      ),
      { numRuns: partOf(2, 5) },
    );
  });
});
