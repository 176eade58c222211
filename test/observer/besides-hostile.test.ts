import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, type ObservedDirectory, openObserved } from '../support/endpoints/observed.ts';

/**
 * What a server answers to a method, by its cursor; without a result it answers that it has no such method.
 */
type Answers = Readonly<Record<string, (cursor: string | undefined) => object | undefined>>;

const everything = {
  tools: {},
  prompts: {},
  resources: {},
  extensions: { 'io.modelcontextprotocol/skills': {} },
};

/**
 * A server of the older protocol that declares everything, and answers so; `refuse` may answer in place of
 * it.
 */
const startServer = (
  answers: Answers,
  { capabilities = everything, silent = [] }: { capabilities?: object; silent?: readonly string[] } = {},
): Promise<Endpoint> =>
  startEndpoint((body, { method: verb }, response) => {
    if (verb !== 'POST') return void response.writeHead(404).end();
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params?: { cursor?: string };
    };
    if (id === undefined) return void response.writeHead(202).end();
    if (silent.includes(method)) return void response.writeHead(503).end();
    const introduction = {
      protocolVersion: '2025-11-25',
      capabilities,
      serverInfo: { name: 'raw', version: '1' },
    };
    const all = new Map<string, Answers[string]>(
      Object.entries({ initialize: () => introduction, 'tools/list': () => ({ tools: [] }), ...answers }),
    );
    const result = all.get(method)?.(params?.cursor);
    const error = { code: -32601, message: 'Method not found' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
  });

const prompt = (name: string, more: object = {}) => ({ name, ...more });
const parsed = (json: string) => JSON.parse(json) as object;
const servers = {
  // It declares all, and has no method for any of it.
  empty: await startServer({}),
  silent: await startServer({}, { silent: ['prompts/list'] }),
  endless: await startServer({
    'prompts/list': (cursor = '0') => ({
      prompts: [prompt(`p${cursor}`)],
      nextCursor: `${Number(cursor) + 1}`,
    }),
    'skills/list': () => ({ skills: [] }),
  }),
  stuck: await startServer({
    'prompts/list': () => ({ prompts: [], nextCursor: 'again' }),
    'resources/list': () => ({ resources: [{ uri: 'a://1' }, { uri: 'a://1' }] }),
    'skills/list': () => ({ skills: 'many' }),
  }),
  large: await startServer({
    'prompts/list': () => ({ prompts: [prompt('a', { description: 'x'.repeat(1024 * 1024) })] }),
    'resources/list': () => ({ resources: Array.from({ length: 2001 }, (_, n) => ({ uri: `a://${n}` })) }),
    'skills/list': () => ({
      skills: [
        {
          uri: 'skill://a/SKILL.md',
          frontmatter: { name: 'a', description: 'Reads\u200b it' },
          resources: [],
        },
        { uri: 'skill://b\u202e/SKILL.md', frontmatter: 5, resources: { a: 1 } },
      ],
    }),
  }),
  names: await startServer({
    'prompts/list': () => ({
      prompts: [
        parsed('{"name":"__proto__","arguments":[{"name":"__proto__"},{"name":"constructor"},5]}'),
        prompt('constructor', { arguments: 'none' }),
        prompt('mail\u202etxt', { description: 'Sends' }),
        { title: 'nameless' },
        7,
      ],
    }),
  }),
};

let observed: ObservedDirectory;
beforeAll(async () => {
  observed = await openObserved(servers);
});
afterAll(() => observed.close());

const see = async (name: string, kind: string) => (await observed.look(name, kind))[0];

describe('an endpoint that declares a list', () => {
  it('and has no method for it is said to have none, and why', async () => {
    expect(await see('empty', 'prompts.surface')).toMatchObject({
      outcome: 'absent',
      value: null,
      reason:
        'The endpoint declares prompts, and Dossier has no list of them. `https://empty.example.com/mcp` returned HTTP 200 and the JSON-RPC error `-32601`.',
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
    expect(servers.silent.methods()).not.toContain('skills/list');
    expect(await see('silent', 'tools.count')).toMatchObject({ outcome: 'seen' });
  });

  it('without an end sends 100 pages of all lists', async () => {
    expect(await see('endless', 'prompts.surface')).toMatchObject({
      outcome: 'otherwise',
      reason:
        'The endpoint declares prompts, and Dossier has no list of them. The endpoint sent 100 pages of lists, but not the end of its list of prompts; Dossier reads no further.',
    });
    const lists = servers.endless.methods().filter((method) => method.endsWith('/list'));
    expect(lists).toHaveLength(100);
  });

  it('that repeats a page or a name, or is no list, has none', async () => {
    const reasonOf = async (kind: string) => (await see('stuck', kind))?.reason;
    expect(await reasonOf('prompts.surface')).toContain('a page names an earlier page as the next one');
    expect(await reasonOf('resources.surface')).toContain('list of resources has the same name twice');
    expect(await reasonOf('skills.surface')).toContain('sent no list of skills that Dossier could read');
  });
});

describe('a list beside tools', () => {
  it('may have large texts, and no more members than a list of tools', async () => {
    expect(await see('large', 'prompts.surface')).toMatchObject({ outcome: 'seen', details: { count: 1 } });
    expect((await see('large', 'resources.surface'))?.reason).toContain(
      'The endpoint lists more than Dossier reads: 2,000 resources, 2 MiB or 100,000 values.',
    );
  });

  it('has its hidden characters counted with those of the tools, with their places', async () => {
    expect(await see('large', 'tools.hidden_text')).toMatchObject({
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
    const page = await (await observed.directory.app.request(`/agents/${handleAt('names')}.md`)).text();
    expect(page).toContain('4 prompts');
    expect(page).not.toContain('\u202e');
  });
});
