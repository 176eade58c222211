import { expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { partOf } from '../support/long.ts';
import { legacy, modern } from '../support/mcp-requests.ts';
import { opened } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';

const handles = ['co.webhook/webhook', 'com.politicalcomms/api'];
const directory = await opened(openClaimedDirectory());
const capability = await directory.claim('com.politicalcomms/api', 'Political-Comms/political-comms-sdk');
await directory.post(
  '/api/tools/submit_rating',
  ratingOf('co.webhook/webhook', { interaction_at: directory.context.clock().toISOString() }),
  capability,
);

const paths = [
  '/',
  '/agents',
  '/agents?q=webhook',
  '/agents?has_native_ratings=true',
  '/tags',
  '/tags/webhooks',
  '/about',
  '/tools',
  '/feedback',
  '/llms.txt',
  '/llms-full.txt',
  '/openapi.json',
  '/sitemap.xml',
  '/robots.txt',
  '/readyz',
  '/api/feedback',
  '/log/key',
  '/log/checkpoint',
  ...handles.flatMap((handle) => [
    `/agents/${handle}`,
    `/agents/${handle}.json`,
    `/agents/${handle}.md`,
    `/agents/${handle}/ratings`,
    `/agents/${handle}/claim`,
    `/agents/${handle}/badge`,
    `/badge/${handle}`,
    `/badge/${handle}.json`,
  ]),
];
const calls: readonly (readonly [tool: string, input: object])[] = [
  ['search_agents', {}],
  ['search_agents', { query: 'webhook' }],
  ['list_tags', {}],
  ...handles.flatMap((handle) => [['get_agent', { handle }] as const, ['list_ratings', { handle }] as const]),
];

/** Every byte that anyone can get at, with its headers but for the id and date of the answer itself. */
async function publicBytes(): Promise<readonly string[]> {
  const bytes: string[] = [];
  const keep = async (what: string, answer: Response) => {
    const headers = [...answer.headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
    bytes.push(`${what} ${answer.status} ${JSON.stringify(headers)} ${await answer.text()}`);
  };
  for (const path of paths)
    for (const accept of ['text/html', '*/*'])
      await keep(path, await directory.app.request(path, { headers: { accept } }));
  for (const [tool, input] of calls) {
    await keep(tool, await directory.post(`/api/tools/${tool}`, input));
    for (const message of [legacy, modern]) {
      const { headers, body } = message('tools/call', { name: tool, arguments: input });
      await keep(tool, await directory.app.request('/api/mcp', { method: 'POST', headers, body }));
    }
  }
  for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
    const { headers, body } = legacy(method);
    await keep(method, await directory.app.request('/api/mcp', { method: 'POST', headers, body }));
  }
  return bytes;
}

const feedbacks = partOf(300, 1000);
it(`${feedbacks} feedbacks, through every door, change no public byte`, async () => {
  const logSize = await directory.store.log.size();
  const before = await publicBytes();
  const feedback = (count: number) => ({
    message: `Number ${count}: this one is ${count % 2 === 0 ? 'wonderful' : 'a fraud'}, 5 of 5`,
    handle: handles[count % 2],
    category: 'report',
    looking_for: 'webhook',
    found_it: count % 3 === 0,
    contact: 'me@example.org',
  });
  for (let count = 0; count < feedbacks; count++) {
    const sent = feedback(count);
    const { headers, body } = legacy('tools/call', { name: 'submit_feedback', arguments: sent });
    const form = new URLSearchParams({ message: sent.message, handle: sent.handle ?? '' });
    const answer =
      count % 3 === 0
        ? await directory.post('/api/feedback', sent)
        : count % 3 === 1
          ? await directory.app.request('/api/mcp', { method: 'POST', headers, body })
          : await directory.app.request('/feedback', {
              method: 'POST',
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
              body: form.toString(),
            });
    expect(answer.status).toBe(count % 3 === 2 ? 303 : 200);
  }
  expect(await directory.store.feedback.list({ state: 'open' }, 2000)).toHaveLength(feedbacks);
  expect(await publicBytes()).toEqual(before);
  expect(before.filter((text) => / 5\d\d \[/.test(text))).toEqual([]);
  expect(await directory.store.log.size()).toBe(logSize);
});
