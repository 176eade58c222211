import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';
import { type Says, startSaying } from '../support/endpoints/saying.ts';
import { connect } from '../support/mcp-clients.ts';
import { usdc } from '../support/offers.ts';
import { opened } from '../support/opened.ts';
import { faultsOfHtml } from '../support/valid-html.ts';

/** A server that declares prompts, and the lists that it has an answer for, or everything. */
const startServer = (says: Says, isBold = false): Promise<Endpoint> =>
  startSaying(says, () => ({
    prompts: {},
    ...((isBold || 'resources/list' in says) && { resources: {} }),
    ...((isBold || 'skills/list' in says) && { extensions: { 'io.modelcontextprotocol/skills': {} } }),
  }));

const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' } });
const reads = { tools: [tool('read', 'Reads')] };

const mixed: Says = {
  'tools/list': reads,
  'prompts/list': {
    prompts: [{ name: 'greet', description: 'Greets <b>you</b>', arguments: [{ name: 'who' }] }],
  },
  'resources/list': { resources: [{ uri: 'doc://a', name: 'a' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'doc://{x}', name: 'x' }] },
  'skills/list': { skills: [] },
};
const methodless: Says = { 'tools/list': reads };
const guarded: Says = { 'tools/list': reads, 'prompts/list': 401, 'resources/list': { accepts: [] } };
/** What it asks a payment for is set by the test. */
const tolls: Says = { 'tools/list': reads };

const toolWithUi = (name: string, _meta: object) => ({ ...tool(name, 'Shows'), _meta });
const shows: Says = {
  'tools/list': {
    tools: [
      toolWithUi('chart', { ui: { resourceUri: 'ui://charts/a.html' } }),
      toolWithUi('chart_old', { 'ui/resourceUri': 'ui://charts/b.html' }),
      toolWithUi('link', { ui: { resourceUri: 'https://example.com/x' }, other: 1 }),
      ...reads.tools,
    ],
  },
  'skills/list': { skills: [] },
};

const prompt = (name: string, more: object = {}) => ({ name, ...more });
const parsed = (json: string) => JSON.parse(json) as object;
const bold: Readonly<Record<string, Says>> = {
  // It declares all, and has no method for any of it.
  empty: { 'tools/list': { tools: [] } },
  silent: { 'tools/list': { tools: [] }, 'prompts/list': 503 },
  wide: {
    'tools/list': { tools: [] },
    'skills/list': {
      skills: [
        {
          uri: 'skill://a/SKILL.md',
          frontmatter: { name: 'a', description: 'Reads\u200b it' },
          resources: [],
        },
        { uri: 'skill://b\u202e/SKILL.md', frontmatter: 5, resources: { a: 1 } },
      ],
    },
  },
  names: {
    'tools/list': { tools: [] },
    'prompts/list': {
      prompts: [
        parsed('{"name":"__proto__","arguments":[{"name":"__proto__"},{"name":"constructor"},5]}'),
        prompt('constructor', { arguments: 'none' }),
        prompt('mail\u202etxt', { description: 'Sends' }),
        { title: 'nameless' },
        7,
      ],
    },
  },
};
const servers: Record<string, Endpoint> = {};

for (const [name, says] of Object.entries(bold)) servers[name] = await startServer(says, true);
const observed = await openObserved({
  ...servers,
  mixed: await startServer(mixed),
  methodless: await startServer(methodless),
  guarded: await startServer(guarded),
  tolls: await startServer(tolls),
  shows: await startServer(shows),
});
const client = await opened(connect('v2', { app: observed.directory.app }));
await observed.directory.observe(handleAt('mixed'));

const see = async (name: string, kind: string) => (await observed.look(name, kind))[0];
const seeNextDay = (name: string, kind: string) => {
  observed.directory.wait(86_400);
  return see(name, kind);
};
const read = async (path: string) => (await observed.directory.app.request(path)).text();
const check = async (input: object) =>
  (await client.call('check_surface', { handle: handleAt('mixed'), ...input })).structuredContent;

it('the page of tools, its JSON and its resource have what is listed besides them', async () => {
  const page = await read(`/agents/${handleAt('mixed')}/tools`);
  expect(await faultsOfHtml(page)).toEqual([]);
  expect(page).toContain('1 prompt, seen on');
  expect(page).toContain('<h3 class="foreign">greet</h3>');
  expect(page).toContain('Greets &lt;b&gt;you&lt;/b&gt;');
  expect(page).toContain('Takes: <span class="foreign">who</span>.');
  expect(page).toContain('<h3 class="foreign">doc://{x}</h3>');
  const json = JSON.parse(await read(`/agents/${handleAt('mixed')}/tools.json`)) as object;
  expect(json).toMatchObject({
    endpoints: [{ tools: [{ name: 'read' }] }],
    besides: [
      { list: 'prompts', outcome: 'seen', members: [{ name: 'greet' }] },
      { list: 'resources', members: [{ uri: 'doc://a' }, { uriTemplate: 'doc://{x}' }] },
      { list: 'skills', members: [] },
    ],
    untrusted_fields: ['endpoints', 'besides'],
  });
  const [resource] = await client.read(`agent://${handleAt('mixed')}/tools`);
  expect(JSON.parse(resource?.text ?? '')).toEqual(json);
});

it('resources are compared without the templates that clients list apart, and the other way round', async () => {
  const resource = { uri: 'doc://a', name: 'a' };
  const template = { uriTemplate: 'doc://{x}', name: 'x' };
  expect(await check({ resources: [resource] })).toMatchObject({
    result: 'same',
    differs: [],
    not_sent: ['uriTemplate'],
    message: expect.stringContaining('Not compared, because you sent none: uriTemplate.'),
  });
  expect(await check({ resources: [template] })).toMatchObject({ result: 'same', not_sent: ['uri'] });
  expect(await check({ resources: [resource, template] })).not.toHaveProperty('not_sent');
  expect(await check({ resources: [] })).toMatchObject({
    result: 'other',
    differs: [{ name: 'doc://a', difference: 'only_here' }],
  });
});

it('tools with a user interface are in the short answer, and their addresses in full', async () => {
  await observed.directory.observe(handleAt('shows'));
  const ask = (detail: string) => client.call('get_agent', { handle: handleAt('shows'), detail });
  const { structuredContent } = await ask('summary');
  expect(structuredContent).toMatchObject({
    lines: {
      tools:
        '`chart`, `chart_old`, `link`, `read`; 2 tools with a user interface: `chart` and `chart_old`; no tool says read-only or destructive.',
    },
    next: 'check_surface',
  });
  const [{ text = '' } = {}] = (await ask('full')).content;
  expect(text).toContain(
    'Tools with a user interface (MCP Apps): `chart` (`ui://charts/a.html`), `chart_old` (`ui://charts/b.html`)',
  );
});

it('a list of templates that was not read is not an empty one', async () => {
  const templates = mixed['resources/templates/list'] ?? {};
  mixed['resources/templates/list'] = 404;
  const seen = await seeNextDay('mixed', 'resources.surface');
  expect(seen).not.toHaveProperty('changed_from');
  expect(seen).toMatchObject({ details: { count: 2 } });
  expect(JSON.stringify(seen)).toContain(
    'Dossier has no list from `resources/templates/list`, a part of the list of resources. The endpoint returned HTTP 404.',
  );
  mixed['resources/templates/list'] = templates;
});

it('resources that come and go are in the history and no news; words about one that changed are', async () => {
  const feed = () => read(`/feed.json`);
  const history = () => read(`/agents/${handleAt('mixed')}/history.json`);
  mixed['resources/list'] = {
    resources: [
      { uri: 'doc://a', name: 'a' },
      { uri: 'doc://b', name: 'b' },
    ],
  };
  await seeNextDay('mixed', 'resources.surface');
  expect(await history()).toContain('"doc://b"');
  expect(await feed()).not.toContain('esources it lists');
  mixed['resources/list'] = { resources: [{ uri: 'doc://a', name: 'a', description: 'Send it to us' }] };
  await seeNextDay('mixed', 'resources.surface');
  expect(await feed()).toContain('esources it lists');
});

it('an endpoint without a method for a list that it declares has all its texts read, so that a change of them is one', async () => {
  expect(await see('methodless', 'tools.hidden_text')).toMatchObject({ value: 0 });
  methodless['tools/list'] = { tools: [tool('read', 'Reads\u200b')] };
  expect(await seeNextDay('methodless', 'tools.hidden_text')).toMatchObject({
    value: 1,
    changed_from: { value: 0 },
  });
});

it('a list that asks for credentials or a payment after the tools has that reason, and the tools stay', async () => {
  expect(await see('guarded', 'prompts.surface')).toMatchObject({
    outcome: 'asks',
    asks_for: 'credentials',
    value: null,
    reason:
      'The endpoint declares prompts, and asks for credentials before it lists them; Dossier sends none.',
  });
  expect(await see('guarded', 'resources.surface')).toMatchObject({ outcome: 'asks', asks_for: 'payment' });
  expect(await see('guarded', 'tools.count')).toMatchObject({ outcome: 'seen', value: 1 });
  const { besides } = JSON.parse(await read(`/agents/${handleAt('guarded')}/tools.json`)) as {
    besides: object[];
  };
  expect(besides).toMatchObject([{ outcome: 'asks', reason: expect.anything() }, { outcome: 'asks' }]);
});

const besideLists = ['prompts/list', 'resources/templates/list'];

/** Answers all questions but that for tools anew, one of them in another way. */
function answerTolls(method: string, answer: object | number) {
  for (const one of Object.keys(tolls)) if (one !== 'tools/list') delete tolls[one];
  const lists = { 'resources/list': { resources: [] }, 'prompts/list': { prompts: [] } };
  Object.assign(tolls, lists, { [method]: answer });
}

it.each(besideLists)(
  'a payment with offers that is asked for at %s, after the tools, is the price and the payee of the endpoint',
  async (method) => {
    const payTo = `0x${String(besideLists.indexOf(method) + 1).repeat(40)}`;
    const offer = { scheme: 'exact', network: 'eip155:8453', payTo, asset: usdc, amount: '10000' };
    answerTolls(method, { accepts: [{ ...offer, maxTimeoutSeconds: 60 }] });
    expect(await seeNextDay('tolls', 'price.offers')).toMatchObject({
      outcome: 'seen',
      subject: 'https://tolls.example.com/mcp',
      value: {
        offers: [
          {
            amount: '10000',
            asset: usdc.toLowerCase(),
            network: 'eip155:8453',
            scheme: 'exact',
            pays: [{ address: payTo }],
          },
        ],
      },
    });
    expect(await see('tolls', 'tools.count')).toMatchObject({ outcome: 'seen', value: 1 });
    const checked = await client.call('check_offer', { handle: handleAt('tolls'), offer: [offer] });
    expect(checked.structuredContent).toMatchObject({
      offers: [{ payee: expect.stringMatching(/^(?:as_seen|new)$/) }],
    });
  },
);

it.each(besideLists)(
  'a payment asked for at %s, after the tools, is no answer without a price',
  async (method) => {
    answerTolls(method, { x402Version: 9, accepts: [{ payTo: '0x1' }] });
    expect(await seeNextDay('tolls', 'price.offers')).toMatchObject({ outcome: 'asks', asks_for: 'payment' });
    expect(await see('tolls', 'tools.count')).toMatchObject({ outcome: 'seen', value: 1 });
  },
);

describe('an endpoint that declares a list', () => {
  it('and has no method for it is said to have none, and why', async () => {
    expect(await see('empty', 'prompts.surface')).toMatchObject({
      outcome: 'absent',
      value: null,
      reason:
        'The endpoint declares prompts, and Dossier has no list of them. The endpoint returned HTTP 200 and the JSON-RPC error `-32601`.',
    });
    expect(await see('empty', 'skills.surface')).toMatchObject({ outcome: 'absent' });
    expect(await see('empty', 'tools.count')).toMatchObject({ outcome: 'seen', value: 0 });
  });

  it('and gives no usable answer to a question for one is asked for no other', async () => {
    expect(await see('silent', 'prompts.surface')).toMatchObject({
      outcome: 'silent',
      reason:
        'The endpoint declares prompts, and Dossier has no list of them. The endpoint returned HTTP 503.',
    });
    expect(await see('silent', 'skills.surface')).toMatchObject({
      outcome: 'not_asked',
      reason:
        'The endpoint declares skills. Dossier did not ask for them, because it got no usable answer when it asked for another list.',
    });
    expect(servers.silent?.methods()).not.toContain('skills/list');
    expect(await see('silent', 'tools.count')).toMatchObject({ outcome: 'seen' });
  });
});

describe('a list beside tools', () => {
  it('has its hidden characters counted with those of the tools, with their places', async () => {
    expect(await see('wide', 'tools.hidden_text')).toMatchObject({
      value: 2,
      as_seen: {
        places: [
          { place: 'skills.skill://a/SKILL.md.frontmatter.description', characters: ['U+200B'] },
          { place: 'skills.skill://b‹U+202E›/SKILL.md.uri', characters: ['U+202E'] },
        ],
      },
    });
  });

  it('may have names of members that every object has, and shows hidden characters in names', async () => {
    expect(await see('names', 'prompts.surface')).toMatchObject({
      outcome: 'seen',
      details: {
        count: 4,
        prompts: [{ name: '' }, { name: '__proto__' }, { name: 'constructor' }, { name: 'mail‹U+202E›txt' }],
      },
    });
    const page = await read(`/agents/${handleAt('names')}.md`);
    expect(page).toContain('4 prompts');
    expect(page).not.toContain('\u202e');
  });
});
