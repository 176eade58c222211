import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readTarget } from '../../src/actions/action.ts';
import { actions } from '../../src/actions/actions.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { opened } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';

const subject = 'co.webhook/webhook';
const rater = 'com.politicalcomms/api';
const ratings: string[] = [];
/** Targets by a short name, as the operator writes them. */
const named: Record<string, string> = {
  subject,
  rater,
  namespace: 'namespace:co.webhook',
  account: 'account:github.com/political-comms',
};

const directory = await opened(openClaimedDirectory());
const capability = await directory.claim(rater, 'Political-Comms/political-comms-sdk');
const owner = await directory.claim(subject, 'webhook-co/webhook');
const headers = { authorization: `Bearer ${capability}` };
const known = await directory.app.request('/api/capability', { headers });
named.capability = String(((await known.json()) as { capability_id: string }).capability_id);
for (const outcome of ['failed', 'succeeded', 'partial']) {
  const answer = await directory.post(
    '/api/tools/submit_rating',
    ratingOf(subject, {
      interaction_id: `job-${outcome}`,
      interaction_at: directory.context.clock().toISOString(),
      outcome,
      comment: `It ${outcome}`,
    }),
    capability,
  );
  const { rating_id } = (await answer.json()) as { rating_id: string };
  ratings.push(rating_id);
  named[outcome] = rating_id;
  await directory.post('/api/tools/respond_to_rating', { rating_id, text: `So it ${outcome}` }, owner);
  named[`response to ${outcome}`] = `response:${rating_id}`;
}

const paths = [subject, rater].flatMap((handle) => [
  `/agents/${handle}`,
  `/agents/${handle}/ratings`,
  `/agents/${handle}.json`,
  `/agents/${handle}.md`,
  `/badge/${handle}`,
  `/v0.1/servers/${encodeURIComponent(handle)}`,
]);
const lists = ['/agents', '/agents?q=webhook', '/tags', '/publishers/co.webhook', '/v0.1/servers'];
const logged = ['/', '/log/checkpoint', '/changes', '/feed.json', '/transparency.json', '/about'];
const calls = [
  ['search_agents', { query: 'political sms' }],
  ...[subject, rater].flatMap((handle) => [
    ['get_agent', { handle }] as const,
    ['list_ratings', { handle }] as const,
  ]),
] as const;

/**
 * Without what every action changes: the picture of the history, and the size of
 * the log.
 */
const withoutHistory = (page: string) =>
  page
    .replace(/<figure class="picture axis">.*?<\/figure>/s, '')
    .replace(/"size":\d+,"checkpoint"/g, '"checkpoint"');

async function bytesOf(all: readonly string[]): Promise<readonly string[]> {
  const bytes: string[] = [];
  for (const path of all) {
    const answer = await directory.app.request(path, { headers: { accept: 'text/html, */*' } });
    bytes.push(`${path} ${answer.status} ${withoutHistory(await answer.text())}`);
  }
  for (const [tool, input] of calls)
    bytes.push(`${tool} ${await (await directory.post(`/api/tools/${tool}`, input)).text()}`);
  return bytes;
}

const report = fc.record({
  message: fc.string({ minLength: 1, maxLength: 60 }),
  about: fc.constantFrom('handle', 'rating'),
  which: fc.nat({ max: 2 }),
  door: fc.constantFrom('/api/feedback', '/api/tools/submit_feedback', '/feedback'),
});

it('no sequence of reports changes a public byte', async () => {
  const before = await bytesOf([...paths, ...lists, ...logged]);
  const kept = await directory.store.feedback.count({ state: 'open', kind: 'report' });
  let received = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 8 }), async (reports) => {
      for (const { message, about, which, door } of reports) {
        const target: Record<string, string> =
          about === 'rating' ? { rating_id: ratings[which] ?? '' } : { handle: subject };
        const sent = { message, category: 'report', ...target };
        const form = { 'content-type': 'application/x-www-form-urlencoded' };
        const answer =
          door === '/feedback'
            ? await directory.app.request(door, {
                method: 'POST',
                headers: form,
                body: new URLSearchParams(sent).toString(),
              })
            : await directory.post(door, sent);
        if (answer.status < 400) received += 1;
      }
      expect(await bytesOf([...paths, ...lists, ...logged])).toEqual(before);
    }),
    { numRuns: 5 },
  );
  expect(received).toBeGreaterThan(0);
  expect(await directory.store.feedback.count({ state: 'open', kind: 'report' })).toBe(kept + received);
});

interface Step {
  readonly action: string;
  readonly on: string;
  readonly reason: string;
}
/** Every action that can be undone, on every target that it takes; filled once the targets are known. */
function possible(): Step[] {
  return actions.flatMap(({ name: action, isFinal, targets, reasons: [reason = 'unlawful'] }) =>
    Object.values(named).flatMap((on) =>
      !isFinal && targets.includes(readTarget(on)?.target_kind ?? 'network') ? [{ action, on, reason }] : [],
    ),
  );
}

/** Applies a step, or undoes it if it stands already. */
async function take({ action, on, reason }: Step, taken: Set<string>) {
  if (taken.delete(`${action} ${on}`)) await directory.restore(on, 'appeal', action);
  else {
    await directory.act(action, on, reason);
    taken.add(`${action} ${on}`);
  }
}

/** Where whoever is concerned looks: what the statement must be found in. */
const everywhere = async () => (await bytesOf(paths)).join('\n').replaceAll('\\', '');
/** The listing whose page shows that its namespace or account is blocked. */
const listingOf: Record<string, string> = { 'co.webhook': subject, 'github.com/political-comms': rater };

it('every action leaves an entry and a visible reason, the audit holds, and undoing all brings every byte back', async () => {
  const before = await bytesOf([...paths, ...lists]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), async (picks) => {
      const steps = possible();
      const taken = new Set<string>();
      const size = await directory.store.log.size();
      for (const pick of picks) {
        const step = steps[pick % steps.length];
        if (step) await take(step, taken);
      }
      expect(await directory.store.log.size()).toBe(size + picks.length);
      const standing = await directory.store.moderation.list(100);
      const text = await everywhere();
      const gone = standing.filter(({ action }) => action === 'withdraw').map(({ handle }) => handle);
      for (const { statement, action, handle, target } of standing)
        if (action === 'withdraw' || !gone.includes(handle ?? listingOf[target]))
          expect(text).toContain(statement);
      expect(await directory.audit()).toEqual([]);
      for (const on of Object.values(named)) await directory.restore(on);
      expect(await bytesOf([...paths, ...lists])).toEqual(before);
      expect(await directory.audit()).toEqual([]);
    }),
    { numRuns: 6 },
  );
});
