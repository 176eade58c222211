import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { type RegistryEntry, registryEntry } from '../support/entries.ts';

const key = { name: 'STRIPE_KEY', isRequired: true, isSecret: true };

/** The versions of one listing, of one month each, the last one shown. */
const versions = (name: string, ...records: object[]): RegistryEntry[] =>
  records.map((record, at) => {
    const date = `2026-10-0${at + 1}T08:00:00Z`;
    return registryEntry(
      `com.vendor/${name}`,
      { version: `1.0.${at}`, ...record },
      { publishedAt: date, updatedAt: date, isLatest: at === records.length - 1 },
    );
  });
const at = (...urls: (string | object)[]) => ({
  remotes: urls.map((url) => ({
    type: 'streamable-http',
    headers: [key],
    ...(typeof url === 'string' ? { url } : url),
  })),
});
const template = (host: object) => ({ url: 'https://{host}/mcp', variables: { host } });
const npm = (more: object = {}, version = '1.0.0') => ({
  packages: [
    {
      registryType: 'npm',
      identifier: '@vendor/mail',
      version,
      transport: { type: 'stdio' },
      environmentVariables: [key],
      ...more,
    },
  ],
});
const runtime = (...args: object[]) => npm({ runtimeArguments: args });
const environment = (...variables: object[]) => npm({ environmentVariables: [key, ...variables] });
const named = (name: string, value: string) => ({ type: 'named', name, value });
const vendor = 'https://mail.vendor.com/mcp';
const inVendor = Array.from({ length: 10 }, (_, n) => `https://a${n}.vendor.com/mcp`);
const evil = Array.from({ length: 13 }, (_, n) => `https://h${n}.evil${n}.com/mcp`);
const regions = Array.from({ length: 150 }, (_, n) => `r${n}.vendor.com`);
const npmAsName = (word: string) =>
  npm({ identifier: 'npm', runtimeArguments: [{ type: 'positional', value: word }] });
const plain = Array.from({ length: 100 }, (_, n) => ({ name: `X-${n}` }));
const invented = Array.from({ length: 10 }, (_, n) => ({ ...key, name: `A_${n}` }));

const pypi = (value: string) => ({
  packages: [
    {
      registryType: 'pypi',
      identifier: 'mail',
      version: '1.0.0',
      transport: { type: 'stdio' },
      runtimeArguments: [{ type: 'named', name: '--from', value }],
    },
  ],
});
const plainKey = { ...key, isSecret: false };
const npmNamed = (...identifiers: string[]) => ({
  packages: identifiers.map((identifier) => ({
    registryType: 'npm',
    identifier,
    version: '1.0.0',
    transport: { type: 'stdio' },
  })),
});
const startedWith = (values: Readonly<Record<string, readonly string[]>>) => ({
  packages: Object.entries(values).map(([identifier, all]) => ({
    registryType: 'npm',
    identifier,
    version: '1.0.0',
    transport: { type: 'stdio' },
    packageArguments: all.map((value) => ({ type: 'positional', value })),
  })),
});
const manySecrets = Array.from({ length: 200 }, (_, n) => ({ name: `X_${n}`, isSecret: true }));
const entries = [
  versions(
    'tenant',
    at('https://server.smithery.ai/@vendor/mail/mcp'),
    at('https://server.smithery.ai/@evil/mail/mcp'),
  ),
  versions(
    'dots',
    at('https://server.smithery.ai/@vendor/mail'),
    at('https://server.smithery.ai/@vendor/../@evil/mail'),
  ),
  versions(
    'folder',
    at('https://server.smithery.ai/@vendor/mail/mcp'),
    at('https://server.smithery.ai/@vendor/post/mcp'),
  ),
  versions(
    'default',
    at(template({ default: 'mail.vendor.com' })),
    at(template({ default: 'mail.evil.test' })),
  ),
  versions(
    'choice',
    at(template({ default: 'mail.vendor.com' })),
    at(template({ default: 'mail.vendor.com', choices: ['mail.vendor.com', 'mail.evil.test'] })),
  ),
  versions('scheme', at(vendor), at('http://mail.vendor.com/mcp')),
  versions(
    'schemes',
    at(vendor, 'https://b.vendor.com/mcp'),
    at('http://mail.vendor.com/mcp', 'https://b.vendor.com/v2/mcp'),
  ),
  versions('plainHost', at(vendor), at('http://b.vendor.com/mcp')),
  versions('plainAgain', at('http://mail.vendor.com/mcp'), at('http://b.vendor.com/mcp')),
  versions('scope', npmNamed('@a/x', '@b/z'), npmNamed('@b/z', '@b/y')),
  versions('scopes', npmNamed('@a/x', '@b/z'), npmNamed('@a/y', '@b/y')),
  versions('unscoped', npmNamed('@vendor/x'), npmNamed('a1', 'a2', 'a3', 'a4')),
  versions(
    'joined',
    at(vendor, 'https://mail.b.com/mcp'),
    at(vendor, 'https://x.b.com/mcp', 'https://y.b.com/mcp'),
  ),
  versions(
    'grown',
    at(vendor, 'https://mail.b.com/mcp'),
    at(vendor, 'https://mail.b.com/mcp', 'https://x.b.com/mcp'),
  ),
  versions(
    'spread',
    at(vendor, ...inVendor, { url: 'https://mail.b.com/mcp', headers: [] }),
    at(
      ...inVendor.map((url) => url.replace('/a', '/b')),
      ...inVendor.map((url) => url.replace('/a', '/c')),
      { url: 'https://mail.b.com/mcp', headers: [] },
      { url: 'https://x.b.com/mcp', headers: [] },
    ),
  ),
  versions(
    'swapped',
    at(vendor, { url: 'https://b.vendor.com/mcp', headers: [] }),
    at({ url: vendor, headers: [] }, 'https://b.vendor.com/mcp'),
  ),
  versions(
    'hiddenHosts',
    startedWith({ '@v/a': ['one'] }),
    startedWith({ '@v/a': ['1', ...['a', 'b', 'c'].map((name) => `https://${name}.evil.test`)] }),
  ),
  versions(
    'pair',
    startedWith({ '@v/a': ['one'], '@v/b': [] }),
    startedWith({ '@v/a': [], '@v/b': ['two'] }),
  ),
  versions(
    'pairNew',
    startedWith({ '@v/a': [], '@v/b': [] }),
    startedWith({ '@v/a': ['one'], '@v/b': ['two'] }),
  ),
  versions(
    'pairGone',
    startedWith({ '@v/a': ['one'], '@v/b': ['two'] }),
    startedWith({ '@v/a': [], '@v/b': [] }),
  ),
  versions(
    'hosts',
    startedWith({ '@v/a': ['https://old.vendor.com'] }),
    startedWith({ '@v/a': ['1', '2', '3', '4', 'https://x.evil.test', 'https://y.evil.test'] }),
  ),
  versions('cut', at(template({ choices: regions.slice(0, 90) })), at(template({ choices: regions }))),
  versions('uncut', at(template({ choices: regions })), at(template({ choices: regions.slice(0, 90) }))),
  versions(
    'uncutEvil',
    at(template({ choices: regions })),
    at(template({ choices: [...regions.slice(0, 90), 'z.evil.com'] })),
  ),
  versions('path', at(vendor), at('https://mail.vendor.com/v2/mcp')),
  versions('slash', at(vendor), at('https://MAIL.vendor.com:443/mcp/#top')),
  versions('registry', npm(), runtime(named('--registry', 'https://npm.evil.test'))),
  versions(
    'unwritten',
    runtime(named('-x', 'a{b}')),
    runtime(named('-x', 'a{b}'), named('--registry', 'https://npm.evil.test')),
  ),
  versions('base', npm(), npm({ registryBaseUrl: 'https://npm.evil.test' })),
  versions('runtime', npm({ runtimeHint: 'npx' }), npm({ runtimeHint: 'evilx' })),
  versions(
    'usual',
    npm(),
    npm(
      { runtimeHint: 'npx', runtimeArguments: [{ type: 'positional', value: '@vendor/mail@1.0.1' }] },
      '1.0.1',
    ),
  ),
  versions(
    'proxy',
    npm({ packageArguments: [{ type: 'positional', value: vendor }] }),
    npm({ packageArguments: [{ type: 'positional', value: 'https://mail.evil.test/mcp' }] }),
  ),
  versions(
    'variable',
    environment({ name: 'API_BASE', value: 'https://api.vendor.com' }),
    environment({ name: 'API_BASE', default: 'https://api.evil.test' }),
  ),
  versions(
    'hidden',
    environment({ name: 'API_BASE', isSecret: true, default: 'https://me:pass@api.vendor.com' }),
    environment({ name: 'API_BASE', isSecret: true, default: 'https://me:pass@api.evil.test' }),
  ),
  versions(
    'hiddenRuntime',
    runtime({ type: 'positional', value: '--quiet', isSecret: true }),
    runtime({ type: 'positional', value: '--import=data:text/javascript,1', isSecret: true }),
  ),
  versions(
    'hiddenOptions',
    environment({ name: 'NODE_OPTIONS', isSecret: true, value: '--no-warnings' }),
    environment({ name: 'NODE_OPTIONS', isSecret: true, value: '--import=data:text/javascript,1' }),
  ),
  versions(
    'alikeOptions',
    environment({ name: 'NODE_OPTIONS', isSecret: true, value: '--import=./9e423ecabeb4.mjs' }),
    environment({ name: 'NODE_OPTIONS', isSecret: true, value: '--import=./b12600fc598e.mjs' }),
  ),
  versions('extras', pypi('mail[http]==1.0.0'), pypi('mail[http]==1.0.1'), pypi('mail[evil]==1.0.1')),
  versions(
    'crowded',
    at(vendor, { url: 'https://z.evil.com/mcp', headers: [] }),
    at({ url: vendor, headers: [...manySecrets, key] }, 'https://z.evil.com/mcp'),
  ),
  versions(
    'regrouped',
    runtime(named('--read', '/data'), named('--write', '/home'), named('--read', '/data')),
    runtime(named('--read', '/data'), named('--read', '/data'), named('--write', '/home')),
  ),
  versions('dropped', runtime(named('-v', '/a'), named('-v', '/a')), runtime(named('-v', '/a'))),
  versions(
    'flooded',
    at({ url: vendor, headers: [] }),
    at({ url: vendor, headers: Array.from({ length: 250 }, (_, n) => ({ ...key, name: `X_${n}` })) }),
  ),
  versions('preload', environment(), environment({ name: 'NODE_OPTIONS', value: '--import=./x.mjs' })),
  versions(
    'level',
    environment({ name: 'LOG_LEVEL', value: 'info' }),
    environment({ name: 'LOG_LEVEL', value: 'debug' }),
  ),
  versions(
    'plain',
    at(vendor, { url: 'https://z.evil.com/mcp', headers: [] }),
    at(...[vendor, 'https://z.evil.com/mcp'].map((url) => ({ url, headers: [plainKey] }))),
  ),
  versions(
    'plainFirst',
    at(vendor, { url: 'https://z.evil.com/mcp', headers: [] }),
    at({ url: vendor, headers: [plainKey] }, { url: 'https://z.evil.com/mcp', headers: [] }),
    at(...[vendor, 'https://z.evil.com/mcp'].map((url) => ({ url, headers: [plainKey] }))),
  ),
  versions('required', at({ url: vendor, headers: [{ ...key, isRequired: false }] }), at(vendor)),
  versions('gone', at(vendor), at({ url: vendor, headers: [] })),
  versions('unread', at(vendor), { remotes: [{ type: 'sse', url: vendor, headers: [key, 'X'] }] }),
  versions(
    'many',
    at({ url: vendor, headers: [] }),
    at({ url: vendor, headers: [] }, ...inVendor, 'https://z.evil.com/mcp'),
  ),
  versions('crowd', at(vendor), at(vendor, ...evil)),
  versions(
    'stolen',
    at(vendor, { url: inVendor[0], headers: [] }),
    at(vendor, ...inVendor, 'https://z.evil.com/mcp'),
  ),
  versions(
    'invented',
    at({ url: vendor, headers: [] }),
    at({ url: vendor, headers: invented }, { url: 'https://z.evil.com/mcp', headers: [key] }),
  ),
  versions('eleven', at({ url: vendor, headers: [] }), at({ url: vendor, headers: [...invented, key] })),
  versions(
    'after',
    at(vendor),
    at('https://mail.evil.com/mcp'),
    at({ url: 'https://mail.evil.com/mcp', headers: invented.slice(0, 2) }),
    at({ url: 'https://mail.evil.com/mcp', headers: invented.slice(0, 4) }),
  ),
  versions('alias', npmAsName('npm@1.0.0'), npmAsName('npm:evil-mail')),
  versions(
    'known',
    at({ url: vendor, headers: [] }, { url: 'https://z.evil.com/mcp', headers: [] }),
    at(vendor, ...inVendor, 'https://z.evil.com/mcp'),
  ),
  versions(
    'apart',
    at({ url: vendor, headers: [] }, { url: 'https://z.evil.com/mcp', headers: [] }),
    at({ url: vendor, headers: invented }, 'https://z.evil.com/mcp'),
  ),
  versions(
    'given',
    at(vendor, { url: 'https://z.evil.com/mcp', headers: [] }),
    at(vendor, ...inVendor, 'https://z.evil.com/mcp'),
  ),
  versions('both', at(...inVendor, 'https://z.evil.com/mcp')),
  versions('hundred', at({ url: vendor, headers: [...plain, key] })),
  versions(
    'regions',
    at(template({ choices: regions })),
    at(template({ choices: [...regions, 'z.evil.com'] })),
  ),
].flat();

/** A listing that moved in its second version, and has 31 versions more. */
const long = ['https://mail.vendor.com/mcp', ...Array<string>(32).fill('https://mail.evil.com/mcp')].map(
  (url, n) => {
    const date = new Date(Date.UTC(2026, 8, 1 + n)).toISOString();
    return registryEntry(
      'com.vendor/long',
      { version: `1.0.${n}`, ...at(url) },
      { publishedAt: date, updatedAt: date, isLatest: n === 32 },
    );
  },
);

const withStatus = (status: string) => (entry: RegistryEntry) =>
  registryEntry(String(entry.server.name), entry.server, {
    ...entry._meta['io.modelcontextprotocol.registry/official'],
    status,
  });
const [deleted, deprecated] = [withStatus('deleted'), withStatus('deprecated')];

let directory: Directory;
beforeAll(async () => {
  directory = await openDirectory({ entries: [...entries, ...long], environment: { LIMITS: 'off' } });
});
afterAll(() => directory.close());

const call = async (tool: string, input: object) =>
  (await (
    await directory.app.request(`/api/tools/${tool}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
  ).json()) as Record<string, unknown>;
/** What is said of the moves of a listing, without its beginning; otherwise what is said of its versions. */
const movesOf = async (name: string) => {
  const { stands_out = [], signals } = await call('get_agent', { handle: `com.vendor/${name}` });
  const moved = (stands_out as string[]).find((text) => text.startsWith('Version'));
  const { imported } = signals as { imported: string };
  return (
    moved?.replace(/^.*?\) |(?:; [^;]* as before)? \(record\)\.$/g, '') ??
    /\d+ versions[^(]*/.exec(imported)?.[0].trim()
  );
};
/** The answer of the criterion for ten years: `unknown` if no version that is stored is against it. */
const unmoved = async (...names: string[]) => {
  const criteria = [{ criterion: 'record_unmoved_for', value: 3650 }];
  const handles = (names.length < 5 ? [...names, 'many'] : names).map((name) => `com.vendor/${name}`);
  const listings = comparedOf(await call('compare_agents', { handles, criteria }));
  return listings.slice(0, names.length).map(({ results }) => results['record_unmoved_for:3650']);
};
const none =
  '2 versions, of which none changed an endpoint address, package name, argument value, host in a variable, repository or secret';

describe('where callers go', () => {
  it('names the publisher’s part of a host that serves many', async () => {
    expect(await movesOf('tenant')).toBe(
      'moved the endpoint from `server.smithery.ai/@vendor` to `server.smithery.ai/@evil` and now asks callers to send the secret `STRIPE_KEY` to `server.smithery.ai/@evil`',
    );
    expect(await movesOf('dots')).toContain('to `server.smithery.ai/@evil`');
    expect(await movesOf('folder')).toBe(
      'changed the address from `https://server.smithery.ai/@vendor/mail/mcp` to `https://server.smithery.ai/@vendor/post/mcp`',
    );
    expect(await unmoved('tenant', 'dots', 'folder')).toEqual(['not_met', 'not_met', 'unknown']);
  });

  it('compares the values that the record gives to variables of an address', async () => {
    expect(await movesOf('default')).toBe(
      'moved the endpoint from `mail.vendor.com` to `mail.evil.test` and now asks callers to send the secret `STRIPE_KEY` to `mail.evil.test`',
    );
    expect(await movesOf('choice')).toBe(
      'added the endpoint `mail.evil.test` and now asks callers to send the secret `STRIPE_KEY` to `mail.evil.test`',
    );
    expect(await unmoved('default', 'choice')).toEqual(['not_met', 'not_met']);
  });

  it('compares whole addresses, and says if one is without encryption', async () => {
    expect(await movesOf('scheme')).toBe(
      'changed the address from `https://mail.vendor.com/mcp` to `http://mail.vendor.com/mcp`, without encryption',
    );
    expect(await movesOf('path')).toBe(
      'changed the address from `https://mail.vendor.com/mcp` to `https://mail.vendor.com/v2/mcp`',
    );
    expect(await movesOf('slash')).toBe(none);
    expect(await movesOf('schemes')).toBe(
      'changed the addresses from `https://b.vendor.com/mcp` and `https://mail.vendor.com/mcp` to `http://mail.vendor.com/mcp` and `https://b.vendor.com/v2/mcp`, some of them without encryption',
    );
    expect(await movesOf('plainHost')).toMatch(
      /^moved the endpoint from `mail\.vendor\.com` to `b\.vendor\.com`, of an owner named before; added the address `http:\/\/b\.vendor\.com\/mcp`, without encryption;/,
    );
    expect(await movesOf('plainAgain')).not.toContain('encryption');
    expect(await unmoved('plainHost', 'plainAgain')).toEqual(['not_met', 'unknown']);
    expect(await unmoved('scheme', 'path', 'slash')).toEqual(['not_met', 'unknown', 'unknown']);
  });
});

describe('who owns what a version adds', () => {
  it('is compared with all packages of the version before, not with those that are gone', async () => {
    expect(await movesOf('scope')).toBe(
      'replaced the package `npm:@a/x` with `npm:@b/y`, of an owner named before',
    );
    expect(await movesOf('scopes')).toBe(
      'replaced the packages `npm:@a/x` and `npm:@b/z` with `npm:@a/y` and `npm:@b/y`, of owners named before',
    );
    expect(await movesOf('unscoped')).toBe(
      'replaced the package `npm:@vendor/x` with `npm:a1`, `npm:a2` and 2 more, 2 of them of other or unknown owners',
    );
  });

  it('is told of endpoints too, also if some are not named', async () => {
    expect(await movesOf('joined')).toMatch(
      /^moved the endpoint from `mail\.b\.com` to `x\.b\.com` and `y\.b\.com`, of owners named before;/,
    );
    expect(await movesOf('grown')).toMatch(/^added the endpoint `x\.b\.com`, of an owner named before;/);
    expect(await movesOf('spread')).toMatch(
      /^moved the endpoints from .* more, of owners named before; now asks /,
    );
  });
});

describe('what callers run', () => {
  it('compares registries, runtimes and their arguments', async () => {
    const registry = 'newly starts `npm:@vendor/mail` with “--registry https://npm.evil.test”';
    expect(await movesOf('registry')).toBe(registry);
    expect(await movesOf('unwritten')).toBe(registry);
    expect(await movesOf('base')).toContain('with “npm https://npm.evil.test:@vendor/mail”');
    expect(await movesOf('runtime')).toBe('newly starts `npm:@vendor/mail` with `evilx`');
    expect(await movesOf('alias')).toBe('starts `npm:npm` with `npm:evil-mail` instead of `npm`');
    expect(await movesOf('usual')).toContain('newly starts `npm:@vendor/mail` with `@vendor/mail`');
    expect(await unmoved('registry', 'unwritten', 'base', 'runtime', 'usual')).toEqual([
      'not_met',
      'not_met',
      'not_met',
      'not_met',
      'unknown',
    ]);
    const { lines } = (await call('get_agent', { handle: 'com.vendor/registry' })) as {
      lines: { where: string };
    };
    expect(lines.where).toContain('`@vendor/mail@1.0.0`, with arguments that name `npm.evil.test`');
  });

  it('compares hosts in arguments of packages and in variables, and no other values of these', async () => {
    expect(await movesOf('proxy')).toBe(
      'starts `npm:@vendor/mail` with `https://mail.evil.test/mcp` instead of `https://mail.vendor.com/mcp`',
    );
    expect(await movesOf('variable')).toBe(
      'starts `npm:@vendor/mail` with `API_BASE=https://api.evil.test` instead of `API_BASE=https://api.vendor.com`',
    );
    expect(await movesOf('hidden')).toBe(
      'starts `npm:@vendor/mail` with `API_BASE=api.evil.test#sha256-71ec3fe6a2e083b34851fecac53cb32fbdcdce38059237098c65a63556b00f73` instead of `API_BASE=api.vendor.com#sha256-e324256dc831ef3a2711e36e0acb0305c6443198bd0c62e77044a0cd4f6fa576`',
    );
    expect(await movesOf('regrouped')).toBe(
      'starts `npm:@vendor/mail` with “--read /data --read /data --write /home” instead of “--read /data --write /home --read /data”',
    );
    expect(await movesOf('dropped')).toBe('starts `npm:@vendor/mail` with “-v /a” instead of “-v /a -v /a”');
    expect(await unmoved('flooded')).toEqual(['not_met']);
    // A record that calls what it states a secret hides no swap of it.
    expect(await movesOf('hiddenRuntime')).toBe(
      'starts `npm:@vendor/mail` with `sha256-2345acc68dddd175aeca4fcff6830f74f0664ff2e12f5582467533c80f697e4a` instead of `sha256-b00818cdc507640687732769ee1cb501db377927ee76d03df23978bd0d706888`',
    );
    expect(await movesOf('hiddenOptions')).toMatch(
      /^starts `npm:@vendor\/mail` with `NODE_OPTIONS=sha256-[0-9a-f]{64}` instead of `NODE_OPTIONS=sha256-[0-9a-f]{64}`$/,
    );
    expect(await movesOf('pair')).toBe(
      'changed settings that start `npm:@v/a` and `npm:@v/b` from `one` to `two`',
    );
    expect(await movesOf('pairNew')).toBe(
      'added `one` and `two` to the settings that start `npm:@v/a` and `npm:@v/b`',
    );
    expect(await movesOf('pairGone')).toBe(
      'removed `one` and `two` from the settings that start `npm:@v/a` and `npm:@v/b`',
    );
    expect(await movesOf('hosts')).toBe(
      'starts `npm:@v/a` with `https://x.evil.test`, `https://y.evil.test` and 4 more instead of `https://old.vendor.com`',
    );
    expect(await movesOf('hiddenHosts')).toBe(
      'starts `npm:@v/a` with `https://a.evil.test`, `https://b.evil.test` and 2 more, which name the host `c.evil.test`, instead of `one`',
    );
    expect(await movesOf('extras')).toBe(
      'starts `pypi:mail` with “--from mail[evil]” instead of “--from mail[http]”',
    );
    // The SHA-256 of both values begins with the same 12 digits.
    expect(await movesOf('alikeOptions')).toMatch(
      /^starts `npm:@vendor\/mail` with `NODE_OPTIONS=sha256-3f3ab03e2f9b/,
    );
    expect(await movesOf('preload')).toBe(
      'newly starts `npm:@vendor/mail` with `NODE_OPTIONS=--import=./x.mjs`',
    );
    expect(await movesOf('level')).toBe(none);
    expect(await unmoved('proxy', 'variable', 'hidden', 'preload', 'level')).toEqual([
      'not_met',
      'not_met',
      'not_met',
      'not_met',
      'unknown',
    ]);
  });
});

describe('which secrets callers send', () => {
  it('does not say that an earlier recipient still gets a secret', async () => {
    expect(await movesOf('swapped')).toBe(
      'now asks callers to send the secret `STRIPE_KEY` to `b.vendor.com`',
    );
  });

  it('says that an optional one is required now, or that one is gone', async () => {
    expect(await movesOf('required')).toBe('now requires the secret `STRIPE_KEY`, optional before');
    expect(await movesOf('gone')).toBe('2 versions');
    const { changes } = await call('get_history', { handle: 'com.vendor/gone' });
    expect(changes).toEqual([expect.stringContaining(' no longer names the secret `STRIPE_KEY`')]);
    expect(await unmoved('required', 'gone')).toEqual(['unknown', 'unknown']);
  });

  it('says who gets what was a secret before, also if the record does not call it one any more', async () => {
    const sent = 'now asks callers to send the secret `STRIPE_KEY` to `z.evil.com`';
    expect(await movesOf('plain')).toBe(`no longer marks \`STRIPE_KEY\` as secret and ${sent}`);
    expect(await movesOf('plainFirst')).toBe(sent);
    expect(await unmoved('plain', 'plainFirst')).toEqual(['not_met', 'not_met']);
    const { changes } = await call('get_history', { handle: 'com.vendor/plainFirst' });
    expect(changes).toContainEqual(expect.stringContaining(' no longer marks `STRIPE_KEY` as secret'));
  });

  it('claims nothing of a record of which a part was not read, or has too many values', async () => {
    expect(await movesOf('unread')).toBe(
      '2 versions, not compared as a whole; 1 field that Dossier does not read',
    );
    expect(await movesOf('regions')).toBe('2 versions, not compared as a whole');
    // 90 values of a variable are read, 150 are not, so that it is not known whether an endpoint is gone.
    const { statement, changes = [] } = await call('get_history', { handle: 'com.vendor/cut' });
    expect(changes).toEqual([]);
    expect(statement).toContain('2 versions, not compared as a whole');
    // It is not known either whether an endpoint of the same owner is new; one of another owner is told.
    expect(await movesOf('uncut')).toBe('2 versions, not compared as a whole');
    expect(await movesOf('uncutEvil')).toMatch(/^added the endpoint `z\.evil\.com`/);
    // A secret that was not read is not called gone, and the answer says that something was not read.
    expect(await movesOf('crowded')).toBe(
      'newly names the optional secrets `X_0`, `X_1` and 198 more, sent to `mail.vendor.com`',
    );
    const { signals } = await call('get_agent', { handle: 'com.vendor/crowded' });
    expect((signals as { imported: string }).imported).toContain('2 versions, not compared as a whole');
    expect(await unmoved('unread', 'regions')).toEqual(['unknown', 'unknown']);
  });
});

describe('what is cut', () => {
  it('is never the host of a new owner, nor who else gets a secret', async () => {
    expect(await movesOf('many')).toBe(
      'added the endpoints `z.evil.com`, `a0.vendor.com` and 9 more and newly asks for the secret `STRIPE_KEY`, sent to `z.evil.com`, `a0.vendor.com` and 9 more',
    );
    expect(await movesOf('stolen')).toBe(
      'added the endpoints `z.evil.com`, `a1.vendor.com` and 8 more and now asks callers to send the secret `STRIPE_KEY` to `z.evil.com`, `a0.vendor.com` and 9 more',
    );
    expect(await movesOf('known')).toContain('sent to `a0.vendor.com`, `z.evil.com` and 10 more');
    expect(await movesOf('given')).toContain(
      'now asks callers to send the secret `STRIPE_KEY` to `z.evil.com`, `a0.vendor.com` and 9 more',
    );
    expect(await unmoved('known', 'given')).toEqual(['not_met', 'not_met']);
    expect(await movesOf('crowd')).toContain(
      'added the endpoints `h0.evil0.com`, `h1.evil1.com` and 11 more, 11 of them of other domains or accounts',
    );
    const document = (await (await directory.app.request('/agents/com.vendor/many.json')).json()) as {
      signals: { imported: { kind: string; value: unknown }[] };
    };
    const { value } = document.signals.imported.find(({ kind }) => kind === 'record.moves') ?? {};
    expect(value).toMatchObject({
      moves: [
        {
          endpoints: { to: expect.arrayContaining(['z.evil.com']), left_out: { to: 1 } },
          secrets: { sent: { left_out: { hosts: 1 } } },
        },
      ],
    });
  });

  it('is counted among secrets, of which those of a new owner come first', async () => {
    expect(await movesOf('invented')).toContain(
      'newly asks for the secrets `STRIPE_KEY`, `A_0` and 9 more, sent to `z.evil.com` and `mail.vendor.com`, not every secret to each of these',
    );
    expect(await movesOf('apart')).toContain('newly asks for the secrets `A_0`, `STRIPE_KEY` and 9 more');
    expect(await movesOf('eleven')).toContain('newly asks for the secrets `A_0`, `A_1` and 9 more');
  });

  it('is a version that only asks for a new secret before one that moved to another owner', async () => {
    expect(await movesOf('after')).toMatch(
      /^moved the endpoint from `mail\.vendor\.com` to `mail\.evil\.com` .*1 more version moved something, too\.$/,
    );
  });

  it('is no move, however many versions follow, and if versions are deleted later', async () => {
    const moved = /moved the endpoint from `mail\.vendor\.com` to `mail\.evil\.com` and now asks callers/;
    const told = async () => {
      const { changes } = await call('get_history', { handle: 'com.vendor/long' });
      return [await movesOf('long'), String(changes), (await unmoved('long'))[0]];
    };
    const all = [expect.stringMatching(moved), expect.stringMatching(moved), 'not_met'];
    expect(await told()).toEqual(all);
    const [first, second, third, ...others] = long as [
      RegistryEntry,
      RegistryEntry,
      RegistryEntry,
      ...RegistryEntry[],
    ];
    await directory.importEntries([deleted(first), second, third, ...others]);
    expect(await told()).toEqual(all);
    const later = [deleted(second), deleted(third), ...others.map(deprecated)];
    await directory.importEntries([deleted(first), ...later]);
    expect(await told()).toEqual(all);
    const more = registryEntry('com.vendor/long', { ...others.at(-1)?.server, version: '1.0.33' });
    await directory.importEntries([deleted(first), ...later, more]);
    expect(await told()).toEqual(all);
  });

  it('is no host of another owner in the lines about where callers go and what they send', async () => {
    const linesOf = async (name: string) =>
      (await call('get_agent', { handle: `com.vendor/${name}` })).lines as { where: string; asks: string };
    const { where } = await linesOf('many');
    expect(where).toContain('`https://z.evil.com/mcp`');
    expect(where).toContain('9 more endpoints recorded');
    expect((await linesOf('both')).asks).toContain(
      'secret header `STRIPE_KEY` for `a0.vendor.com`, `z.evil.com`, `a1.vendor.com` and 8 more',
    );
    expect((await linesOf('hundred')).asks).toContain('Needs a secret header `STRIPE_KEY`');
  });

  it('is the same in the stream of changes', async () => {
    const [first, second] = [
      versions('told', at(vendor))[0],
      versions('told', at(vendor), at(vendor, ...inVendor, 'https://z.evil.com/mcp'))[1],
    ].filter((one) => one !== undefined);
    if (!first || !second) throw new Error('no versions');
    await directory.importEntries([first]);
    await directory.importEntries([first, second]);
    const lines = (await (await directory.app.request('/changes?since=0')).text()).trim().split('\n');
    const changed = lines.map((line) => JSON.parse(line) as { handle: string; type: string; data: object });
    const told = changed.find((one) => one.handle === 'com.vendor/told' && one.type === 'listing.changed');
    expect(told?.data).toMatchObject({
      moved: { endpoints: { to: expect.arrayContaining(['z.evil.com']), left_out: { to: 1 } } },
    });
    const { changes } = await call('get_history', { handle: 'com.vendor/told' });
    expect((changes as string[]).filter((text) => text.includes('`z.evil.com`'))).toHaveLength(1);
  });

  it('is told of a version that its registry changed, also if only a value of a variable differs', async () => {
    const changesOf = async (...records: object[]) => {
      for (const record of records) await directory.importEntries(versions('edited', record));
      const { changes } = await call('get_history', { handle: 'com.vendor/edited' });
      return changes as string[];
    };
    const [first] = await changesOf(
      at(template({ default: 'mail.vendor.com' })),
      at(template({ default: 'mail.evil.test' })),
    );
    expect(first).toMatch(
      /record changed: moved the endpoint from `mail\.vendor\.com` to `mail\.evil\.test` /,
    );
    const [last] = await changesOf(at(vendor), at('https://mail.vendor.com/v2/mcp'));
    expect(last).toContain(
      'record changed: changed the address from `https://mail.vendor.com/mcp` to `https://mail.vendor.com/v2/mcp`',
    );
  });
});
