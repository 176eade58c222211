import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { callTool, type Directory, documentOf } from '../support/directory.ts';
import { packageAt, type RegistryEntry, registryEntry, remotesAt } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const handle = 'com.relocate/mail';
const secret = (name: string) => ({ name, isRequired: true, isSecret: true });

/** A version of the listing that moved everything, as its registry lists it. */
const version = (
  number: string,
  day: string,
  host: string,
  { others = [], ...more }: { readonly others?: readonly string[]; readonly [field: string]: unknown } = {},
): RegistryEntry =>
  registryEntry(
    handle,
    {
      version: number,
      remotes: [
        { type: 'streamable-http', url: `https://${host}/mcp`, headers: ['API_KEY', ...others].map(secret) },
      ],
      ...more,
    },
    { publishedAt: `${day}T08:00:00Z`, updatedAt: `${day}T08:00:00Z`, isLatest: number === '1.0.1' },
  );

const before = version('1.0.0', '2026-10-20', 'mail.vendor.example.com', {
  ...onGitHub('vendor/mail'),
  ...packageAt('npm', 'vendor-mail'),
});
const after = version('1.0.1', '2026-11-20', 'mail.evil.example.net', {
  others: ['STRIPE_KEY'],
  ...onGitHub('evil/mail'),
  ...packageAt('npm', 'evil-mail', '1.0.1'),
});

/** A listing of one version. */
const other = registryEntry('com.example/other');

const sentence =
  'Version `1.0.1` (published 2026-11-20) moved the endpoint from `mail.vendor.example.com` to `mail.evil.example.net`; replaced the package `npm:vendor-mail` with `npm:evil-mail`; changed the repository from `github.com/vendor/mail` to `github.com/evil/mail`; newly asks for the secret `STRIPE_KEY`, sent to `mail.evil.example.net`; now asks callers to send the secret `API_KEY`, named before, to `mail.evil.example.net` (record).';

const call = (directory: Directory, tool: string, input: object) => callTool(directory, tool, input);
const standsOut = async (directory: Directory) => {
  const { stands_out } = await call(directory, 'get_agent', { handle });
  return (stands_out as { text?: string }[]).map((one) => (typeof one === 'string' ? one : one.text));
};
const historyOf = async (directory: Directory, input: object = {}) =>
  (await call(directory, 'get_history', { handle, ...input })).changes as string[];

const whole = await openedDirectory({ entries: [before, after, other], environment: { LIMITS: 'off' } });
const small = await openedDirectory({ entries: [before], environment: { LIMITS: 'off' } });

describe('a version that moves where callers go and what they send', () => {
  it('says of a first version only when it was published', async () => {
    expect(JSON.stringify(await standsOut(small))).not.toContain('ersion');
    expect(await historyOf(small)).toEqual([
      '2026-10-20 version `1.0.0` (published 2026-10-20) was not compared, because no version before it was read',
    ]);
  });

  it('stands out with both values and the date, after one import and after two', async () => {
    await small.importEntries([before, after]);
    expect((await standsOut(whole))[0]).toBe(sentence);
    expect((await standsOut(small))[0]).toBe(sentence);
  });

  it('is in the history with what was and is, once, by its own date or that of the import', async () => {
    const words = sentence.replace('Version', '2026-11-20 version').replace(' (record).', '');
    expect(await historyOf(whole)).toContain(words);
    const imported = await historyOf(small, { kind: 'record' });
    expect(imported.filter((text) => text.includes('mail.evil.example.net'))).toEqual([
      expect.stringMatching(
        /^(\d{4}-\d\d-\d\d) record changed \(version\): moved the endpoint from `mail\.vendor\.example\.com` to .*; version `1\.0\.1` \(published 2026-11-20, read here on \1\), `1\.0\.0` before$/,
      ),
    ]);
    const page = (await (await whole.app.request(`/agents/${handle}/history.json`)).json()) as {
      events: { type: string; data?: { moved?: object } }[];
    };
    expect(page.events.find(({ type }) => type === 'version.published')?.data?.moved).toMatchObject({
      version: '1.0.1',
      endpoints: { from: ['mail.vendor.example.com'], to: ['mail.evil.example.net'], is_within: false },
      passed: [{ secrets: ['API_KEY'], to: ['mail.evil.example.net'] }],
    });
  });

  it('is on one page of the history, also if an import in between reads a newer version', async () => {
    const roaming = (number: number, newest: number) =>
      registryEntry(
        handle,
        {
          version: `1.0.${number}`,
          ...remotesAt(`https://mail.host${number}.example/mcp`),
        },
        {
          publishedAt: `2026-10-${10 + number}T08:00:00Z`,
          updatedAt: `2026-10-${10 + number}T08:00:00Z`,
          isLatest: number === newest,
        },
      );
    const upTo = (newest: number) =>
      Array.from({ length: newest + 1 }, (_, number) => roaming(number, newest));
    const moving = await openedDirectory({ entries: upTo(12) });
    const at = new Date().toISOString();
    const views = Array.from({ length: 15 }, () => ({ type: 'view.joined', handle, at, data: {} }) as const);
    await moving.context.store.write((tx) => tx.changes.add(views));
    const versionsOf = ({ changes }: Record<string, unknown>) =>
      (changes as string[]).flatMap((text) => /^2026-10-\d\d version `(1\.0\.\d+)`/.exec(text)?.[1] ?? []);
    const first = await call(moving, 'get_history', { handle });
    expect(versionsOf(first)).toEqual(['1.0.12', '1.0.11', '1.0.10', '1.0.9', '1.0.8']);
    await moving.importEntries(upTo(13));
    const second = await call(moving, 'get_history', { handle, cursor: first.next_cursor });
    expect(versionsOf(second)).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map((number) => `1.0.${number}`));
  });

  it('is in the stream, in feeds and on the home page as it is imported', async () => {
    const text = async (path: string) => (await small.app.request(path)).text();
    const changes = (await text('/changes?since=0')).trim().split('\n');
    const changed = changes.map((line) => JSON.parse(line) as { type: string; data: object });
    expect(changed.find(({ type }) => type === 'listing.changed')?.data).toMatchObject({
      moved: {
        secrets: {
          needs: ['STRIPE_KEY'],
          takes: [],
          gone: [],
          sent: { hosts: ['mail.evil.example.net'], packages: [], is_same: true },
        },
      },
    });
    expect(await text('/feed.atom')).toContain('moved the endpoint from');
    expect(await text('/')).toContain('moved the endpoint from');
    expect(await text(`/agents/${handle}`)).toContain('moved the endpoint from');
  });

  it('is judged by a criterion', async () => {
    const judge = async (value: number) => {
      const criteria = [{ criterion: 'record_unmoved_for', value }];
      const sent = { handles: [handle, 'com.example/other'], criteria };
      return comparedOf(await call(whole, 'compare_agents', sent));
    };
    const years = { 'record_unmoved_for:3650': 'not_met' };
    expect(await judge(3650)).toMatchObject([
      {
        results: years,
        stands_out: [expect.stringContaining(sentence), 'The record asks for 2 secrets at its endpoint.'],
      },
      { results: { 'record_unmoved_for:3650': 'unknown' } },
    ]);
    whole.wait(40 * 86_400);
    const reasons = { 'record_unmoved_for:30': 'the record is as of 2026-11-20' };
    expect(await judge(30)).toMatchObject([{ reasons }, { reasons }]);
  });

  it('compares a repository with the last one that was named, and hosts in one spelling', async () => {
    const versions = (name: string, ...records: object[]) =>
      records.map((record, at) =>
        registryEntry(
          `com.example.moves/${name}`,
          { version: `1.0.${at}`, ...record },
          { publishedAt: `2026-10-1${at}T08:00:00Z`, isLatest: at === records.length - 1 },
        ),
      );
    const at = (url: string) => ({ remotes: [{ type: 'sse', url }] });
    const from = (path: string) => ({ repository: { url: `https://github.com/${path}` } });
    await whole.importEntries([
      ...versions('back', from('vendor/mail'), {}, from('vendor/mail')),
      ...versions('gap', from('vendor/mail'), {}, {}, from('evil/mail')),
      ...versions('dot', at('https://mail.example.com/'), at('https://mail.example.com.:443/')),
      ...versions('port', at('https://{team}.example.com/'), at('https://{team}.example.com:443/')),
      ...versions('team', at('https://a.{team}.example.com/'), at('https://b.{team}.example.com/')),
    ]);
    const movesOf = async (name: string) => {
      const { stands_out = [] } = await call(whole, 'get_agent', { handle: `com.example.moves/${name}` });
      return (stands_out as string[]).filter((text) => text.startsWith('Version'));
    };
    const gone =
      'Version `1.0.1` (published 2026-10-11) no longer names the repository `github.com/vendor/mail` (record).';
    expect(await movesOf('back')).toEqual([gone]);
    expect(await movesOf('gap')).toEqual([
      `Version \`1.0.3\` (published 2026-10-13) changed the repository from \`github.com/vendor/mail\` to \`github.com/evil/mail\` (record). ${gone}`,
    ]);
    expect([await movesOf('dot'), await movesOf('port')]).toEqual([[], []]);
    expect(await movesOf('team')).toEqual([
      'Version `1.0.1` (published 2026-10-11) moved the endpoint from `a.{team}.example.com` to `b.{team}.example.com`, of a domain or account that the record named before (record).',
    ]);
  });

  it.each([
    [
      'small',
      (at: number) => `m${at}.evil.example.net`,
      /\(record\)\. .*11 more versions moved something, too\.$/,
    ],
    [
      'equal',
      (at: number) => `mail.evil${at}.com`,
      / 11 more versions .*, at least 8 of them to another owner/,
    ],
  ])('is not hidden by many %s moves after it', async (weight, hostOf, rest) => {
    const name = `com.example.moves/${weight}`;
    const later = Array.from({ length: 12 }, (_, at) => hostOf(at));
    const hosts = ['mail.vendor.example.com', 'mail.evil.example.net', ...later];
    const records = hosts.map((host, at) =>
      registryEntry(
        name,
        { version: `1.0.${at}`, remotes: [{ type: 'sse', url: `https://${host}/` }] },
        { publishedAt: `2026-10-${at + 10}T08:00:00Z`, isLatest: at === hosts.length - 1 },
      ),
    );
    await whole.importEntries(records);
    const moved =
      'Version `1.0.1` (published 2026-10-11) moved the endpoint from `mail.vendor.example.com` to `mail.evil.example.net`';
    const { stands_out } = await call(whole, 'get_agent', { handle: name });
    expect((stands_out as string[])[0]).toContain(`${moved} (record).`);
    expect((stands_out as string[])[0]).toMatch(rest);
    const criteria = [{ criterion: 'record_unmoved_for', value: 3650 }];
    const sent = { handles: [name, 'com.example/other'], criteria };
    expect(comparedOf(await call(whole, 'compare_agents', sent))[0]?.results).toEqual({
      'record_unmoved_for:3650': 'not_met',
    });
  });

  it('is not said any more of a listing that is withdrawn', async () => {
    await small.importEntries(
      [before, after].map((entry) => registryEntry(handle, entry.server, { status: 'deleted' })),
    );
    expect(await (await small.app.request('/changes?since=0')).text()).not.toContain('evil');
  });

  it('is not told of keywords either, once the listing is withdrawn', async () => {
    const name = 'com.relocate/tagged';
    const tagged = (keywords: readonly string[], day: string, status = 'active') =>
      registryEntry(
        name,
        { _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { keywords } } },
        { publishedAt: '2026-10-01T08:00:00Z', updatedAt: `2026-10-${day}T08:00:00Z`, status },
      );
    const changes = async () => (await small.app.request('/changes?since=0')).text();
    await small.importEntries([tagged(['odd-keyword'], '01')]);
    await small.importEntries([tagged([], '02')]);
    expect(await changes()).toContain('"left_tags":["odd-keyword"]');
    await small.importEntries([tagged([], '03', 'deleted')]);
    expect(await changes()).not.toContain('odd-keyword');
  });
});

/**
 * One version of a made-up listing: where it is, what it runs and what it asks for, and when it was
 * published.
 */
const made = fc.record({
  host: fc.constantFrom('a.example.com', 'b.example.com', 'c.example.org'),
  secrets: fc.subarray(['KEY', 'TOKEN']),
  package: fc.constantFrom(undefined, 'one', '@two/x'),
  repository: fc.constantFrom(undefined, 'one/x', 'one/y', 'two/x'),
  day: fc.integer({ min: 1, max: 6 }),
  isDeleted: fc.integer({ max: 3, min: 0 }).map((one) => one === 0),
});
const history = fc.record({
  versions: fc.array(made, { minLength: 2, maxLength: 5 }),
  isUndated: fc.boolean(),
  order: fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
});

interface Made {
  readonly versions: readonly {
    readonly host: string;
    readonly secrets: readonly string[];
    readonly package: string | undefined;
    readonly repository: string | undefined;
    readonly day: number;
    readonly isDeleted: boolean;
  }[];
  readonly isUndated: boolean;
}

const entriesOf = ({ versions, isUndated }: Made, at: number) =>
  versions.map((one, index) =>
    registryEntry(
      `com.example.moves/n${at}`,
      {
        version: `1.0.${index}`,
        remotes: [{ type: 'sse', url: `https://${one.host}/`, headers: one.secrets.map(secret) }],
        ...(one.package && {
          packages: [{ registryType: 'npm', identifier: one.package, version: '1.0.0' }],
        }),
        ...(one.repository && { repository: { url: `https://github.com/${one.repository}` } }),
      },
      {
        publishedAt: isUndated ? null : `2026-10-0${one.day}T08:00:00Z`,
        updatedAt: isUndated ? null : `2026-10-0${one.day}T08:00:00Z`,
        status: one.isDeleted ? 'deleted' : 'active',
        isLatest: null,
      },
    ),
  );

const isActive = (entry: RegistryEntry) =>
  registryEntry(String(entry.server.name), entry.server, {
    ...entry._meta['io.modelcontextprotocol.registry/official'],
    status: 'active',
  });

describe('what versions moved', () => {
  const movesOf = async (directory: Directory, at: number) => {
    const document = await documentOf(directory, `com.example.moves/n${at}`);
    const { imported } = (document.signals ?? {}) as { imported?: { kind: string; value: object }[] };
    return imported?.find(({ kind }) => kind === 'record.moves')?.value as
      | { moves: { version: string; published_at?: string; is_left?: true }[] }
      | undefined;
  };
  const hosts = ['a.example.com', 'b.example.com', 'c.example.org'];
  const crowd = Array.from({ length: 400 }, (_, n) => n);
  const long = {
    versions: crowd.map((n) => ({
      host: hosts[n % 3] ?? '',
      secrets: [],
      package: undefined,
      repository: n < 30 ? 'one/x' : undefined,
      day: 1,
      isDeleted: false,
    })),
    isUndated: false,
    order: crowd.map((n) => 4 - (n % 5)),
  };
  const histories = [...fc.sample(history, { seed: 53, numRuns: 45 }), long];
  const listed = histories.map(entriesOf);

  it('is the same after one whole import and after many small ones, in any order of arrival', async () => {
    await whole.importEntries(listed.flat());
    // Each run brings a fifth of the versions of every listing.
    const arriving = listed.map((entries, at) =>
      entries
        .map((entry, index) => ({ entry, place: histories[at]?.order[index] ?? 0 }))
        .sort((a, b) => a.place - b.place)
        .map(({ entry }) => entry),
    );
    for (let run = 1; run <= 5; run += 1)
      await small.importEntries(
        arriving.flatMap((entries) => entries.slice(0, Math.ceil(entries.length / 5) * run)),
      );
    let moved = 0;
    for (const at of histories.keys()) {
      const fact = await movesOf(whole, at);
      expect(await movesOf(small, at), JSON.stringify(histories[at])).toEqual(fact);
      if (fact) moved += 1;
    }
    expect(moved).toBeGreaterThan(20);
  });

  it('stays what it was when versions are deleted, and those after the shown one are marked', async () => {
    await small.importEntries(listed.flat().map(isActive));
    const before = await Promise.all(listed.map((_, at) => movesOf(small, at)));
    await small.importEntries(listed.flat());
    let kept = 0;
    for (const at of histories.keys()) {
      const { version } = await documentOf(small, `com.example.moves/n${at}`);
      const moves = before[at]?.moves ?? [];
      const shown = moves.findIndex((move) => move.version === version);
      if (shown < 0 || moves.length < 2) continue;
      const now = (await movesOf(small, at))?.moves.map(({ is_left: _, ...move }) => move);
      expect(now, JSON.stringify(histories[at])).toEqual(
        moves.map((move, index) => {
          const of = histories[at]?.versions[Number(move.version.split('.')[2])];
          const later = index < shown ? (of?.isDeleted ? 'deleted' : 'listed') : undefined;
          const deleted_at = histories[at]?.isUndated
            ? (expect.any(String) as string)
            : `2026-10-0${of?.day}T08:00:00.000Z`;
          return { ...move, later, ...(of?.isDeleted && { deleted_at }) };
        }),
      );
      kept += 1;
    }
    expect(kept).toBeGreaterThan(10);
  });
});
