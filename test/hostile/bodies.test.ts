import { describe, expect, it, vi } from 'vitest';
import { tools } from '../../src/tools/index.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { storedTools, toTimelines } from '../support/facts.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory({ environment: { LIMITS: 'off' } });
const limited = await openedDirectory();

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const post = (path: string, body: string, { app }: Pick<Directory, 'app'> = directory) =>
  app.request(path, { method: 'POST', headers: json, body });

/** Repeats a part as often as it fits into a body of this size. */
const filled = (start: string, part: (at: number) => string, end: string, bytes: number) => {
  let parts = '';
  for (let at = 0; start.length + parts.length + part(at).length + 1 + end.length < bytes; at += 1)
    parts += `${at === 0 ? '' : ','}${part(at)}`;
  return start + parts + end;
};

/** Bodies of the largest accepted size that cost more work than their size suggests. */
const bodies: readonly (readonly [what: string, toBody: (bytes: number) => string])[] = [
  ['arrays in arrays', (bytes) => filled('{"x":[', () => '[[[[[[[[]]]]]]]]', ']}', bytes)],
  ['numbers', (bytes) => filled('{"x":[', () => '0', ']}', bytes)],
  ['members', (bytes) => filled('{', (at) => `"m${at}":0`, '}', bytes)],
  ['the same member', (bytes) => filled('{', () => '"m":0', '}', bytes)],
  ['objects', (bytes) => filled('{"x":[', () => '{"a":{}}', ']}', bytes)],
  ['short texts', (bytes) => filled('{"x":[', () => '""', ']}', bytes)],
  ['tools', (bytes) => filled('{"tools":[', () => '{"name":""}', ']}', bytes)],
  ['digests', (bytes) => filled('{"digests":{', (at) => `"${at}":""`, '}}', bytes)],
  ['escapes', (bytes) => `{"x":"${'\\ud800\\u0000'.repeat((bytes - 10) / 12)}"}`],
  ['hidden characters', (bytes) => `{"query":"${'\u200b'.repeat((bytes - 14) / 3)}"}`],
];

/** Posts a body; returns the status and the number of values that were parsed. */
async function countParsed(path: string, body: string) {
  let values = 0;
  const parse = JSON.parse;
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text: string, reviver) => {
    const parsed: unknown = parse(text, (_, value: unknown) => {
      values += 1;
      return value;
    });
    return reviver ? parse(text, reviver) : parsed;
  });
  const { status } = await post(path, body);
  spy.mockRestore();
  return { status, values };
}

const doors: readonly (readonly [path: string, bytes: number, values: number])[] = [
  ...tools.map(
    ({ name }) =>
      [
        `/api/tools/${name}`,
        name === 'check_surface' ? 524_288 : 65_536,
        name === 'check_surface' ? 100_000 : 1000,
      ] as const,
  ),
  ['/api/claim-github', 2048, 1000],
  ['/api/feedback', 8192, 1000],
  ['/api/webhooks', 4096, 1000],
  ['/ard/search', 65_536, 1000],
];

describe('the worst bodies that a door takes', () => {
  it.each(doors)(
    'are refused by %s unparsed if they have more values than it reads',
    async (path, bytes, most) => {
      for (const [what, toBody] of bodies) {
        const { status, values } = await countParsed(path, toBody(bytes));
        expect([what, status]).toEqual([
          what,
          expect.toSatisfy((one) => [400, 413, 422].includes(one as number)),
        ]);
        expect(values, what).toBeLessThan(most + 200);
      }
    },
  );

  it.each(tools.map(({ name }) => name))('are so over MCP, as arguments of %s', async (name) => {
    const [bytes, most] = name === 'check_surface' ? [524_288, 100_000] : [65_536, 1000];
    const start = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":`;
    for (const [what, toBody] of bodies) {
      const body = `${start}${toBody(bytes - start.length - 2)}}}`;
      const { status, values } = await countParsed('/api/mcp', body);
      expect([what, status]).toEqual([
        what,
        expect.toSatisfy((one) => [200, 400, 413].includes(one as number)),
      ]);
      expect(values, what).toBeLessThan(2 * most);
    }
  });

  it('are told how long a list may be, and nothing is looked for in a longer one', async () => {
    const criteria = Array.from({ length: 900 }, (_, at) => `absent ${at}`);
    const body = { handles: ['co.webhook/webhook', 'com.politicalcomms/api'], criteria };
    const answer = await post('/api/tools/compare_agents', JSON.stringify(body));
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      { fields: [{ field: 'criteria', message: 'must have at most 20 entries' }] },
    ]);
  });

  it.each(['/api/tools/check_surface', '/api/mcp', '/ard/search'])(
    'are read by %s one in a turn of the event loop, so that others are answered between them',
    async (path) => {
      let turns = 0;
      const isOver = new AbortController();
      const turn = () => {
        turns += 1;
        if (!isOver.signal.aborted) setImmediate(turn);
      };
      setImmediate(turn);
      const unended = `{"x":"${'x'.repeat(16_384)}`;
      const answers = await Promise.all(Array.from({ length: 40 }, () => post(path, unended)));
      isOver.abort();
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
      expect(turns).toBeGreaterThanOrEqual(40);
    },
  );
  it('of another tool are not read because they name check_surface', async () => {
    const named = filled('{"check_surface":[', () => '0', ']}', 60_000);
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_agent","arguments":${named}}}`;
    expect((await post('/api/mcp', body)).status).toBe(413);
  });
});

describe('large bodies of check_surface', () => {
  const large = filled(
    '{"handle":"co.webhook/webhook","tools":[{"name":"a","x":[',
    () => '0',
    ']}]}',
    190_000,
  );
  const small = '{"handle":"co.webhook/webhook","digests":{}}';
  const toCall = (input: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_surface","arguments":${input}}}`;

  it('are refused after three, unparsed, until the limit has room again; other tools answer', async () => {
    for (const _ of [1, 2, 3])
      expect((await post('/api/tools/check_surface', large, limited)).status).toBe(200);
    for (const [path, body] of [
      ['/api/tools/check_surface', large],
      ['/api/mcp', toCall(large)],
    ] as const) {
      const parse = vi.spyOn(JSON, 'parse');
      const refused = await post(path, body, limited);
      const lengths = parse.mock.calls.map(([text]) => text.length);
      parse.mockRestore();
      expect(refused.status).toBe(429);
      expect(refused.headers.get('ratelimit-policy')).toBe('"surface";q=300;w=60');
      expect(Math.max(0, ...lengths)).toBeLessThan(10_000);
    }
    expect((await post('/api/tools/get_agent', '{"handle":"co.webhook/webhook"}', limited)).status).toBe(200);
    limited.wait(60);
    for (const _ of Array.from({ length: 50 }))
      expect((await post('/api/tools/check_surface', small, limited)).status).not.toBe(429);
  });
});

describe('a list of many faults', () => {
  /** The least processor time of several calls. */
  async function leastOf(body: string) {
    const times_us: number[] = [];
    for (let call = 0; call < 8; call += 1) {
      const before = process.threadCpuUsage();
      expect((await post('/api/tools/check_surface', body)).status).toBe(422);
      const { user, system } = process.threadCpuUsage(before);
      times_us.push(user + system);
    }
    return Math.min(...times_us);
  }

  it.each([
    ['{"prompts":[', () => '""', ']}'],
    ['{"tools":[', () => '""', ']}'],
    ['{"digests":{', (at: number) => `"${at}":0`, '}}'],
  ])('in %s costs at most twice what as long a list without a fault does', async (start, part, end) => {
    const faultless = await leastOf(filled('{"resources":[', () => '{}', ']}', 290_000));
    expect(await leastOf(filled(start, part, end, 290_000))).toBeLessThan(2 * faultless);
  });
});

describe('a small body about a listing with large lists', () => {
  const handle = 'com.example.large/x';
  const urls = ['a', 'b', 'c'].map((name) => `https://${name}.example.com/mcp`);
  const seen_at = '2026-11-20T00:00:00.000Z';
  const toObservation = (subject: string) => ({
    kind: 'tools.surface',
    subject,
    value: 'now',
    outcome: 'seen' as const,
    details: { tools: [{ name: 'a', sha256: 'b'.repeat(64) }] },
    source: 'Dossier',
    method_version: 'tools/1',
    vantage: 'here',
    observed_at: seen_at,
    first_seen_at: seen_at,
  });
  /** A listing with two sets of its first endpoint, and one of each other one. */
  async function open(toTool: (digest: string) => object): Promise<Directory> {
    const remotes = urls.map((url) => ({ type: 'streamable-http' as const, url }));
    const large = await openDirectory({
      entries: [registryEntry(handle, { remotes })],
      environment: { LIMITS: 'off' },
    });
    const set = (subject: string, digest: string, first_seen_at: string) =>
      storedTools(
        { handle, subject },
        { digest, first_seen_at, members: [{ name: 'a', ...toTool(digest) }] },
      );
    await large.store.write(async (tx) => {
      const observations = urls.map(toObservation);
      await tx.observations.put({ handle, observed_at: seen_at, timelines: toTimelines(observations) });
      await tx.observations.addChange({
        handle,
        at: seen_at,
        vantage: 'here',
        log_index: 1,
        changes: urls.map((subject) => ({
          kind: 'tools.surface',
          subject,
          after: { value: 'now', outcome: 'seen' as const },
          before: { value: 'before', outcome: 'seen' as const, seen_until: '2026-11-11T00:00:00.000Z' },
          items: [{ tool: 'a', change: 'changed', members: ['description'] }],
        })),
      });
      await tx.observations.putValue(await set(urls[0] ?? '', 'before', '2026-11-10T00:00:00.000Z'));
      for (const url of urls) await tx.observations.putValue(await set(url, 'now', seen_at));
    });
    return large;
  }
  const described = (size_bytes: number) => (digest: string) => ({
    description: digest.padEnd(size_bytes, 'x'),
  });
  /** Texts of stored sets that were parsed for one answer of a tool, and its text. */
  async function ask(at: Directory, tool: string, input: object) {
    const parse = vi.spyOn(JSON, 'parse');
    const answer = await post(`/api/tools/${tool}`, JSON.stringify({ handle, ...input }), at);
    const parsed = parse.mock.calls.map(([text]) => text).filter(({ length }) => length > 100_000);
    parse.mockRestore();
    return { text: await answer.text(), parsed };
  }
  const compare = (at: Directory) =>
    ask(at, 'check_surface', { tools: [{ name: 'a', description: 'other' }] });
  const lengthOf = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);

  it('compares at most 4 MiB of them, and says what was left out', async () => {
    const large = await opened(open(described(1_800_000)));
    const { text, parsed } = await compare(large);
    expect(lengthOf(parsed)).toBeGreaterThan(3_600_000);
    expect(lengthOf(parsed)).toBeLessThan(4_194_304);
    expect(text).toContain(
      'The tools of 1 other endpoint were not compared: the lists of this service have more than 4 MiB or 100,000 values. Not all lists that Dossier saw before were compared: together they have more than 4 MiB or 100,000 values.',
    );
  });

  it('compares all of them if they have room', async () => {
    const large = await opened(open(described(200_000)));
    const { text, parsed } = await compare(large);
    expect(lengthOf(parsed)).toBeGreaterThan(800_000);
    expect(text).not.toContain('compared:');
  });

  it('parses at most 100,000 values of them, one set of 60,000, in check_surface and get_history', async () => {
    const members = Array.from({ length: 60_000 }, (_, at) => `"m${at}":0`).join();
    const large = await opened(open((digest) => ({ description: digest, ...JSON.parse(`{${members}}`) })));
    const compared = await compare(large);
    expect(compared.parsed).toHaveLength(1);
    expect(compared.text).toContain(
      'The tools of 2 other endpoints were not compared: the lists of this service have more than 4 MiB or 100,000 values.',
    );
    const history = await ask(large, 'get_history', {});
    expect(history.text).toContain('description');
    expect(history.parsed).toHaveLength(1);
  });
});
