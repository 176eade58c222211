import { toServices } from '../before.ts';
import { type Case, compare, withServers } from '../compare.ts';
import type { Sent } from '../load.ts';
import type { Plan } from '../plan.ts';
import type { Part } from '../report.ts';
import { type Server, startReference } from '../server.ts';
import { toHandles } from '../synthetic.ts';

/** What a browser sends with each request. */
const headers = { accept: 'text/html,*/*', 'accept-encoding': 'gzip, deflate, br' };

const get = (path: string, more: Record<string, string> = {}): Sent => ({
  path,
  headers: { ...headers, ...more },
});

const pathOf = (handle: string) => `/agents/${handle}`;

/** Requests for listing pages as a browser sends them once it has cached them. */
async function toCachedPages({ url }: Server, handles: readonly string[]): Promise<Sent[]> {
  const requests: Sent[] = [];
  for (const handle of handles) {
    const answer = await fetch(new URL(pathOf(handle), url), { headers });
    await answer.arrayBuffer();
    requests.push(get(pathOf(handle), { 'if-none-match': answer.headers.get('etag') ?? '' }));
  }
  return requests;
}

const helloName = 'bare hello on Hono';

async function toCases(server: Server, handles: readonly string[]): Promise<Case[]> {
  const ours = (what: string, requests: readonly Sent[], goal?: number): Case => ({
    name: `${server.name}: ${what}`,
    server,
    requests,
    goal,
  });
  const notModified: Case = {
    ...ours('listing page, cached by the client (304)', await toCachedPages(server, handles), 0.8),
    status: 304,
  };
  const badges = handles.map((handle) => get(`/badge/${handle}.svg`));
  // A faster round would reach some that no round requested before.
  for (const { path = '' } of badges)
    await (await fetch(new URL(path, server.url), { headers })).arrayBuffer();
  return [
    ours('badge', badges, 0.7),
    ours(
      'listing page',
      handles.map((handle) => get(pathOf(handle))),
      0.5,
    ),
    notModified,
    ours('home page', [get('/')]),
    ours('search page', [get('/agents?q=server'), get('/agents?q=search+database'), get('/agents?q=git')]),
    ours('tags page', [get('/tags')]),
    ours('health', [get('/healthz')], 0.45),
  ];
}

/** Goal 2: pages and badges with ETag, compression and security headers, as shares of a bare hello. */
export async function measurePages(plan: Plan): Promise<Part> {
  const handles = toHandles(plan.listings, 1000);
  return withServers(
    { hello: () => startReference('hello'), ...(await toServices(plan)) },
    async ({ hello, ...services }) => {
      const cases: Case[] = [{ name: helloName, server: hello, requests: [get('/')] }];
      for (const server of Object.values(services)) cases.push(...(await toCases(server, handles)));
      const { rows } = await compare(cases, plan);
      return { title: `Pages; share of a ${helloName}`, rows };
    },
  );
}
