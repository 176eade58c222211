import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const at = (...urls: string[]) => ({ remotes: urls.map((url) => ({ type: 'streamable-http', url })) });
const directory = await openedDirectory({
  entries: [
    registryEntry('com.stripe/mcp', at('https://mcp.stripe.com')),
    registryEntry('com.paypal.mcp/mcp', at('https://mcp.paypal.com/http', 'https://pay.example.net/mcp')),
    registryEntry('com.notion/mcp', at('https://mcp.notion.com/mcp')),
    registryEntry('com.notion/notes', at('https://mcp.notion.com/sse')),
    registryEntry('dev.below.tools/mcp', at('https://elsewhere.example.org/mcp')),
  ],
  environment: { LIMITS: 'off' },
});
const ofStripe = '`com.stripe/mcp` is in a namespace of `stripe.com` and records `https://mcp.stripe.com`';
const unlisted = [
  ['api.stripe.com', `No listing shown here records this host; ${ofStripe}.`, ['com.stripe/mcp']],
  [
    'https://api.stripe.com/',
    `No listing shown here records this address as an endpoint, a repository or a package; ${ofStripe}.`,
    ['com.stripe/mcp'],
  ],
  [
    'https://api.stripe.com/v1/charges',
    `No listing shown here records this address as an endpoint, a repository or a package; ${ofStripe}.`,
    ['com.stripe/mcp'],
  ],
  ['cdn.mcp.stripe.com', `No listing shown here records this host; ${ofStripe}.`, ['com.stripe/mcp']],
  [
    'evil-login.paypal.com',
    'No listing shown here records this host; `com.paypal.mcp/mcp` is in a namespace of `paypal.com` and records `https://mcp.paypal.com/http`, `https://pay.example.net/mcp`.',
    ['com.paypal.mcp/mcp'],
  ],
  [
    'status.notion.com',
    'No listing shown here records this host; 2 listings are in a namespace of `notion.com`: see near.',
    ['com.notion/mcp', 'com.notion/notes'],
  ],
  ['registry.nobody.example.com', 'No listing shown here records this host.', []],
] as const;

it.each(unlisted)('no listing is found for %s, and who has its domain is said', async (asked, said, near) => {
  const answer = await callTool<{ code: string; detail: string; near: string[] }>(directory, 'get_agent', {
    handle: asked,
  });
  expect([answer.code, answer.detail.startsWith(`${said} `), answer.near.toSorted()]).toEqual([
    'unknown_handle',
    true,
    near,
  ]);
  const { results } = await callTool<{ results: { near?: string[] }[] }>(directory, 'resolve_agents', {
    handles: [asked],
  });
  expect(results).toMatchObject([{ asked, outcome: 'not_listed', reason: said }]);
  expect(results[0]?.near?.toSorted() ?? []).toEqual(near);
  const handles = [asked, 'com.notion/mcp'];
  const { listings } = await callTool<{ listings: object[] }>(directory, 'compare_agents', { handles });
  expect(JSON.stringify(listings[0])).toContain(JSON.stringify(said).slice(1, -1));
  const search = await callTool<{ advice: string }>(directory, 'search_agents', { query: asked });
  expect(search.advice).toContain(said);
  const page = await (await directory.app.request(`/agents?q=${encodeURIComponent(asked)}`)).text();
  expect(page.replaceAll(/<[^>]*>/g, '')).toContain(said.replaceAll('`', ''));
  expect(page).not.toContain('is the only listing');
});

it.each([
  [
    'mcp.stripe.com',
    'com.stripe/mcp',
    'the only listing that records an endpoint at this host; recording does not show control',
  ],
  ['stripe.com', 'com.stripe/mcp', 'the only listing in a namespace of `stripe.com`'],
  ['com.stripe', 'com.stripe/mcp', 'the only listing in a namespace of `stripe.com`'],
  ['tools.below.dev', 'dev.below.tools/mcp', 'the only listing in a namespace of `tools.below.dev`'],
  ['dev.below.tools', 'dev.below.tools/mcp', 'the only listing in a namespace of `tools.below.dev`'],
])('a host that is recorded, and the domain of a namespace, find it: %s', async (handle, found, found_by) => {
  expect(await callTool(directory, 'get_agent', { handle })).toMatchObject({ handle: found, found_by });
});
