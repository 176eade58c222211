import { describe, expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { callTool } from '../support/directory.ts';
import { packageAt, type RegistryEntry, registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const first = 'was not compared, because no version before it was read';
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
const overHttp = { transport: { type: 'streamable-http', url: 'http://localhost:3000/mcp' } };
const runtime = (...args: object[]) => npm({ runtimeArguments: args });
const environment = (...variables: object[]) => npm({ environmentVariables: [key, ...variables] });
const named = (name: string, value: string) => ({ type: 'named', name, value });
const vendor = 'https://mail.vendor.com/mcp';
const inVendor = Array.from({ length: 10 }, (_, n) => `https://a${n}.vendor.com/mcp`);
const regions = Array.from({ length: 150 }, (_, n) => `r${n}.vendor.com`);
const npmAsName = (word: string) =>
  npm({ identifier: 'npm', runtimeArguments: [{ type: 'positional', value: word }] });
const invented = Array.from({ length: 10 }, (_, n) => ({ ...key, name: `A_${n}` }));

const pypi = (value: string) =>
  packageAt('pypi', 'mail', '1.0.0', { runtimeArguments: [{ type: 'named', name: '--from', value }] });
const secretVariable = { isRequired: true, isSecret: true };
const image = (more: object) => ({
  packages: [
    {
      registryType: 'oci',
      identifier: 'ghcr.io/vendor/mail:1.0.0',
      transport: { type: 'stdio' },
      ...more,
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
/** Of one release, with their arguments. */
const files = (version: string, all: Readonly<Record<string, readonly string[]>>) => ({
  packages: Object.entries(all).map(([name, values]) => ({
    registryType: 'mcpb',
    identifier: `https://github.com/vendor/mail/releases/download/v${version}/${name}-${version}.mcpb`,
    fileSha256: 'ab'.repeat(32),
    transport: { type: 'stdio' },
    packageArguments: values.map((value) => ({ type: 'positional', value })),
  })),
});
const twice = (...all: (readonly string[])[]) => ({
  packages: all.flatMap((values) => startedWith({ '@v/a': values }).packages),
});
const manySecrets = Array.from({ length: 200 }, (_, n) => ({ name: `X_${n}`, isSecret: true }));
const none =
  '2 versions, of which none changed an endpoint address, transport, package name, argument value, host in a variable, repository or secret';
/**
 * A listing: whether a criterion finds it unmoved for ten years, what is said of the last version that moved
 * something, and what its versions record, one after the other.
 */
const row = (name: string, unmovedFor: string | undefined, said: unknown, ...records: object[]) =>
  ({ name, unmovedFor, said, records }) as const;
const rows = [
  row(
    'tenant',
    'not_met',
    'moved the endpoint from `server.smithery.ai/@vendor` to `server.smithery.ai/@evil` and now asks callers to send the secret `STRIPE_KEY`, named before, to `server.smithery.ai/@evil`',
    at('https://server.smithery.ai/@vendor/mail/mcp'),
    at('https://server.smithery.ai/@evil/mail/mcp'),
  ),
  row(
    'dots',
    'not_met',
    expect.stringContaining('to `server.smithery.ai/@evil`'),
    at('https://server.smithery.ai/@vendor/mail'),
    at('https://server.smithery.ai/@vendor/../@evil/mail'),
  ),
  row(
    'default',
    'not_met',
    'moved the endpoint from `mail.vendor.com` to `mail.evil.test` and now asks callers to send the secret `STRIPE_KEY`, named before, to `mail.evil.test`',
    at(template({ default: 'mail.vendor.com' })),
    at(template({ default: 'mail.evil.test' })),
  ),
  row(
    'choice',
    'not_met',
    'added the endpoint `mail.evil.test` and now asks callers to send the secret `STRIPE_KEY`, named before, to `mail.evil.test`',
    at(template({ default: 'mail.vendor.com' })),
    at(template({ default: 'mail.vendor.com', choices: ['mail.vendor.com', 'mail.evil.test'] })),
  ),
  row(
    'scheme',
    'not_met',
    'changed the address from `https://mail.vendor.com/mcp` to `http://mail.vendor.com/mcp`, without encryption',
    at(vendor),
    at('http://mail.vendor.com/mcp'),
  ),
  row(
    'plainHost',
    'not_met',
    expect.stringMatching(
      /^moved the endpoint from `mail\.vendor\.com` to `b\.vendor\.com`, both of `vendor\.com`; added the address `http:\/\/b\.vendor\.com\/mcp`, without encryption;/,
    ),
    at(vendor),
    at('http://b.vendor.com/mcp'),
  ),
  row(
    'scope',
    undefined,
    'replaced the package `npm:@a/x` with `npm:@b/y`, of a domain or account that the record named before',
    npmNamed('@a/x', '@b/z'),
    npmNamed('@b/z', '@b/y'),
  ),
  row(
    'swapped',
    undefined,
    'now asks callers to send the secret `STRIPE_KEY`, named before, to `b.vendor.com`',
    at(vendor, { url: 'https://b.vendor.com/mcp', headers: [] }),
    at({ url: vendor, headers: [] }, 'https://b.vendor.com/mcp'),
  ),
  row(
    'hiddenHosts',
    undefined,
    'starts `npm:@v/a` with `https://a.evil.test`, `https://b.evil.test` and 2 more, which name the host `c.evil.test`, instead of `one`',
    startedWith({ '@v/a': ['one'] }),
    startedWith({ '@v/a': ['1', ...['a', 'b', 'c'].map((name) => `https://${name}.evil.test`)] }),
  ),
  row(
    'cut',
    undefined,
    undefined,
    at(template({ choices: regions.slice(0, 90) })),
    at(template({ choices: regions })),
  ),
  row(
    'path',
    'unknown',
    'changed the address from `https://mail.vendor.com/mcp` to `https://mail.vendor.com/v2/mcp`',
    at(vendor),
    at('https://mail.vendor.com/v2/mcp'),
  ),
  row(
    'droppedEndpoint',
    'unknown',
    'no longer names the endpoint `b.vendor.com`',
    at(vendor, 'https://b.vendor.com/mcp'),
    at(vendor),
  ),
  row(
    'droppedAddress',
    'unknown',
    'no longer names the address `https://mail.vendor.com/v2`',
    at(vendor, 'https://mail.vendor.com/v2'),
    at(vendor),
  ),
  row(
    'droppedPackage',
    'unknown',
    'no longer names the package `npm:@b/z`',
    npmNamed('@a/x', '@b/z'),
    npmNamed('@a/x'),
  ),
  row(
    'transport',
    'unknown',
    'changed the transport from `sse` to `streamable-http`',
    at({ url: vendor, type: 'sse' }),
    at(vendor),
  ),
  row(
    'transportOfPackage',
    'unknown',
    'changed the transport from `stdio` to `streamable-http`',
    npm({}),
    npm(overHttp),
  ),
  row('addedTransportOfPackage', 'unknown', 'added the transport `streamable-http`', npm({}), {
    packages: [...npm().packages, ...npm(overHttp).packages],
  }),
  row(
    'droppedTransportOfPackage',
    'unknown',
    'no longer names the transport `stdio`',
    { packages: [...npm(overHttp).packages, ...npm().packages] },
    npm(overHttp),
  ),
  row(
    'addedTransportOfEndpoint',
    'unknown',
    'added the transport `streamable-http`',
    at({ url: vendor, type: 'sse' }),
    at({ url: vendor, type: 'sse' }, vendor),
  ),
  row(
    'transportsInAnotherOrder',
    'unknown',
    none,
    at({ url: vendor, type: 'sse' }, vendor),
    at(vendor, { url: vendor, type: 'sse' }),
  ),
  row(
    'addedTransportOfOne',
    'unknown',
    'added the transport `sse`',
    at(vendor, { url: 'https://mail.vendor.com/old', type: 'stdio' }),
    at(vendor, { url: vendor, type: 'sse' }, { url: 'https://mail.vendor.com/old', type: 'stdio' }),
  ),
  row(
    'transportOfOne',
    'unknown',
    'changed the transport from `sse:https://mail.vendor.com/mcp` to `streamable-http:https://mail.vendor.com/mcp`',
    at({ url: vendor, type: 'sse' }, { url: 'https://mail.vendor.com/old', type: 'sse' }),
    at(vendor, { url: 'https://mail.vendor.com/old', type: 'sse' }),
  ),
  row(
    'transportsSwapped',
    'unknown',
    'changed the transports from `sse:https://b.vendor.com/mcp` and `streamable-http:https://a.vendor.com/mcp` to `sse:https://a.vendor.com/mcp` and `streamable-http:https://b.vendor.com/mcp`',
    at('https://a.vendor.com/mcp', { url: 'https://b.vendor.com/mcp', type: 'sse' }),
    at({ url: 'https://a.vendor.com/mcp', type: 'sse' }, 'https://b.vendor.com/mcp'),
  ),
  row(
    'movedTransport',
    'not_met',
    'moved the endpoint from `mail.vendor.com` to `mail.evil.test`; changed the transport from `sse` to `streamable-http`; now asks callers to send the secret `STRIPE_KEY`, named before, to `mail.evil.test`',
    at({ url: vendor, type: 'sse' }),
    at('https://mail.evil.test/mcp'),
  ),
  row(
    'addedFile',
    'unknown',
    'added the package `mcpb:github.com/vendor/mail/mail-code.mcpb`, of a domain or account that the record named before',
    files('1.0.0', { 'mail-mini': [] }),
    files('1.0.1', { 'mail-mini': [], 'mail-code': [] }),
  ),
  row(
    'newRelease',
    'unknown',
    none,
    files('1.0.0', { 'mail-x64': ['a', 'b'], 'mail-arm64': ['a', 'b'] }),
    files('1.0.1-rc.1', { 'mail-x64': ['a', 'b'], 'mail-arm64': ['a', 'b'] }),
  ),
  row(
    'renamedFiles',
    'unknown',
    'replaced the packages `mcpb:github.com/vendor/mail/server-arm64.mcpb` and `mcpb:github.com/vendor/mail/server-x64.mcpb` with `mcpb:github.com/vendor/mail/router-x64.mcpb`, of a domain or account that the record named before',
    files('1.0.0', { 'server-x64': ['binary'], 'server-arm64': ['binary'] }),
    files('1.0.1', { 'router-x64': ['binary'] }),
  ),
  row(
    'twice',
    undefined,
    'starts `npm:@v/a` with `two` instead of `one`',
    twice(['same', 'one'], ['same']),
    twice(['same'], ['same', 'two']),
  ),
  row('reordered', 'unknown', none, twice(['a', 'b'], ['b', 'a']), twice(['b', 'a'], ['a', 'b'])),
  row('slash', 'unknown', none, at(vendor), at('https://MAIL.vendor.com:443/mcp/#top')),
  row(
    'registry',
    'not_met',
    'newly starts `npm:@vendor/mail` with “--registry https://npm.evil.test”',
    npm(),
    runtime(named('--registry', 'https://npm.evil.test')),
  ),
  row(
    'base',
    'not_met',
    expect.stringContaining('with “npm https://npm.evil.test:@vendor/mail”'),
    npm(),
    npm({ registryBaseUrl: 'https://npm.evil.test' }),
  ),
  row(
    'runtime',
    'not_met',
    'newly starts `npm:@vendor/mail` with `evilx`',
    npm({ runtimeHint: 'npx' }),
    npm({ runtimeHint: 'evilx' }),
  ),
  row(
    'usual',
    'unknown',
    expect.stringContaining('newly starts `npm:@vendor/mail` with `@vendor/mail`'),
    npm(),
    npm(
      { runtimeHint: 'npx', runtimeArguments: [{ type: 'positional', value: '@vendor/mail@1.0.1' }] },
      '1.0.1',
    ),
  ),
  row(
    'proxy',
    'not_met',
    'starts `npm:@vendor/mail` with `https://mail.evil.test/mcp` instead of `https://mail.vendor.com/mcp`',
    npm({ packageArguments: [{ type: 'positional', value: vendor }] }),
    npm({ packageArguments: [{ type: 'positional', value: 'https://mail.evil.test/mcp' }] }),
  ),
  row(
    'variable',
    'not_met',
    'starts `npm:@vendor/mail` with `API_BASE=https://api.evil.test` instead of `API_BASE=https://api.vendor.com`',
    environment({ name: 'API_BASE', value: 'https://api.vendor.com' }),
    environment({ name: 'API_BASE', default: 'https://api.evil.test' }),
  ),
  row(
    'hidden',
    'not_met',
    'starts `npm:@vendor/mail` with `API_BASE` and a value that is not shown (names `api.evil.test`; sha256-71ec3fe6a2e083b34851fecac53cb32fbdcdce38059237098c65a63556b00f73) instead of `API_BASE` and a value that is not shown (names `api.vendor.com`; sha256-e324256dc831ef3a2711e36e0acb0305c6443198bd0c62e77044a0cd4f6fa576)',
    environment({ name: 'API_BASE', isSecret: true, default: 'https://me:pass@api.vendor.com' }),
    environment({ name: 'API_BASE', isSecret: true, default: 'https://me:pass@api.evil.test' }),
  ),
  row(
    'hiddenOptions',
    undefined,
    expect.stringMatching(
      /^starts `npm:@vendor\/mail` with `NODE_OPTIONS` and a value that is not shown \(sha256-[0-9a-f]{64}\) instead of `NODE_OPTIONS` and a value that is not shown \(sha256-[0-9a-f]{64}\)$/,
    ),
    environment({ name: 'NODE_OPTIONS', isSecret: true, value: '--no-warnings' }),
    environment({ name: 'NODE_OPTIONS', isSecret: true, value: '--import=data:text/javascript,1' }),
  ),
  row(
    'passed',
    'unknown',
    none,
    image({
      runtimeArguments: [
        { type: 'named', name: '-e' },
        { type: 'positional', value: 'MAIL_KEY' },
      ],
      environmentVariables: [{ ...key, name: 'MAIL_KEY' }],
    }),
    image({
      runtimeArguments: [{ ...named('-e', 'MAIL_KEY={token}'), variables: { token: secretVariable } }],
    }),
  ),
  row(
    'template',
    undefined,
    'newly starts `oci:ghcr.io/vendor/mail` with “--login me:{token}”; newly asks for the secret `token`, sent to the package `oci:ghcr.io/vendor/mail` that you start',
    image({}),
    image({
      packageArguments: [{ ...named('--login', 'me:{token}'), variables: { token: secretVariable } }],
    }),
  ),
  row(
    'extras',
    undefined,
    'starts `pypi:mail` with “--from mail[evil]” instead of “--from mail[http]”',
    pypi('mail[http]==1.0.0'),
    pypi('mail[http]==1.0.1'),
    pypi('mail[evil]==1.0.1'),
  ),
  row(
    'crowded',
    undefined,
    'newly names the optional secrets `X_0`, `X_1` and 198 more, sent to `mail.vendor.com`',
    at(vendor, { url: 'https://z.evil.com/mcp', headers: [] }),
    at({ url: vendor, headers: [...manySecrets, key] }, 'https://z.evil.com/mcp'),
  ),
  row(
    'flooded',
    'not_met',
    undefined,
    at({ url: vendor, headers: [] }),
    at({ url: vendor, headers: Array.from({ length: 250 }, (_, n) => ({ ...key, name: `X_${n}` })) }),
  ),
  row(
    'preload',
    'not_met',
    'newly starts `npm:@vendor/mail` with `NODE_OPTIONS=--import=./x.mjs`',
    environment(),
    environment({ name: 'NODE_OPTIONS', value: '--import=./x.mjs' }),
  ),
  row(
    'level',
    'unknown',
    none,
    environment({ name: 'LOG_LEVEL', value: 'info' }),
    environment({ name: 'LOG_LEVEL', value: 'debug' }),
  ),
  row(
    'plain',
    'not_met',
    'no longer marks `STRIPE_KEY` as secret and now asks callers to send the secret `STRIPE_KEY`, named before, to `z.evil.com`',
    at(vendor, { url: 'https://z.evil.com/mcp', headers: [] }),
    at(...[vendor, 'https://z.evil.com/mcp'].map((url) => ({ url, headers: [plainKey] }))),
  ),
  row('marked', 'unknown', '2 versions', at({ url: vendor, headers: [plainKey] }), at(vendor)),
  row(
    'marked-optional',
    'unknown',
    '2 versions',
    environment({ name: 'TOKEN' }, { name: 'REGION' }),
    environment({ name: 'token', isSecret: true }, { name: 'REGION', isSecret: true }),
  ),
  row(
    'marked-required',
    'unknown',
    'now requires the secret `TOKEN`, optional before, and now marks `TOKEN` as secret',
    environment({ name: 'TOKEN' }),
    environment({ name: 'TOKEN', isRequired: true, isSecret: true }),
  ),
  row(
    'marked-again',
    'unknown',
    '4 versions',
    at({ url: vendor, headers: [plainKey] }),
    at(vendor),
    at({ url: vendor, headers: [plainKey] }),
    at(vendor),
  ),
  row(
    'marked-also',
    'unknown',
    none,
    at(vendor, { url: vendor.replace('mail', 'post'), headers: [plainKey] }),
    at(vendor, vendor.replace('mail', 'post')),
  ),
  row(
    'marked-elsewhere',
    'not_met',
    'now marks `STRIPE_KEY` as secret and now asks callers to send the secret `STRIPE_KEY`, named before, to `z.evil.com`',
    at({ url: vendor, headers: [plainKey] }, { url: 'https://z.evil.com/mcp', headers: [] }),
    at(vendor, 'https://z.evil.com/mcp'),
  ),
  row('gone', 'unknown', '2 versions', at(vendor), at({ url: vendor, headers: [] })),
  row(
    'unread',
    'unknown',
    '2 versions, not compared as a whole; 1 field that Dossier does not read',
    at(vendor),
    at({ url: vendor, headers: [key, 'X'] }),
  ),
  row(
    'many',
    undefined,
    'added the endpoints `z.evil.com`, `a0.vendor.com` and 9 more and newly asks for the secret `STRIPE_KEY`, sent to `z.evil.com`, `a0.vendor.com` and 9 more',
    at({ url: vendor, headers: [] }),
    at({ url: vendor, headers: [] }, ...inVendor, 'https://z.evil.com/mcp'),
  ),
  row(
    'invented',
    undefined,
    expect.stringContaining(
      'newly asks for the secrets `STRIPE_KEY`, `A_0` and 9 more, sent to `z.evil.com` and `mail.vendor.com`, not every secret to each of these',
    ),
    at({ url: vendor, headers: [] }),
    at({ url: vendor, headers: invented }, { url: 'https://z.evil.com/mcp', headers: [key] }),
  ),
  row(
    'after',
    undefined,
    expect.stringMatching(
      /^moved the endpoint from `mail\.vendor\.com` to `mail\.evil\.com` .*1 more version moved something, too\.$/,
    ),
    at(vendor),
    at('https://mail.evil.com/mcp'),
    at({ url: 'https://mail.evil.com/mcp', headers: invented.slice(0, 2) }),
    at({ url: 'https://mail.evil.com/mcp', headers: invented.slice(0, 4) }),
  ),
  row(
    'alias',
    undefined,
    'starts `npm:npm` with `npm:evil-mail` instead of `npm`',
    npmAsName('npm@1.0.0'),
    npmAsName('npm:evil-mail'),
  ),
  row('both', undefined, undefined, at(...inVendor, 'https://z.evil.com/mcp')),
  row(
    'regions',
    'unknown',
    '2 versions, not compared as a whole',
    at(template({ choices: regions })),
    at(template({ choices: [...regions, 'z.evil.com'] })),
  ),
];
const entries = rows.flatMap(({ name, records }) => versions(name, ...records));

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

const directory = await openedDirectory({ entries: [...entries, ...long], environment: { LIMITS: 'off' } });

const call = (tool: string, input: object) => callTool(directory, tool, input);
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
const unmoved = async (name: string) => {
  const criteria = [{ criterion: 'record_unmoved_for', value: 3650 }];
  const handles = [name, 'both'].map((one) => `com.vendor/${one}`);
  const [found] = comparedOf(await call('compare_agents', { handles, criteria }));
  return found?.results['record_unmoved_for:3650'];
};

it.each(rows.filter(({ said, unmovedFor }) => said ?? unmovedFor))(
  'of two versions of $name the difference is said, and counts as a move or not',
  async ({ name, said, unmovedFor }) => {
    if (said) expect(await movesOf(name)).toEqual(said);
    if (unmovedFor) expect(await unmoved(name)).toBe(unmovedFor);
  },
);

it('a secret that is gone, or no longer marked as one, is in the history', async () => {
  const { changes } = await call('get_history', { handle: 'com.vendor/gone' });
  expect((changes as string[]).slice(0, -1)).toEqual([
    expect.stringContaining(' no longer names the secret `STRIPE_KEY`'),
  ]);
  const marked = await call('get_history', { handle: 'com.vendor/plain' });
  expect(marked.changes).toContainEqual(expect.stringContaining(' no longer marks `STRIPE_KEY` as secret'));
});

it.each([
  ['marked', '`STRIPE_KEY`'],
  ['marked-optional', '`REGION` and `token`'],
  ['marked-again', '`STRIPE_KEY`'],
])('an input of %s that was asked for before is not new when it is marked as secret', async (name, names) => {
  const { changes } = await call('get_history', { handle: `com.vendor/${name}` });
  expect((changes as string[])[0]).toMatch(new RegExp(` now marks ${names} as secret(?:;|$)`));
  expect(String(changes)).not.toContain('newly');
});

it('hosts in arguments of packages are in the line about where callers go', async () => {
  const { lines } = (await call('get_agent', { handle: 'com.vendor/registry' })) as {
    lines: { where: string };
  };
  expect(lines.where).toContain('`@vendor/mail@1.0.0` over stdio, with arguments that name `npm.evil.test`');
});

it('nothing is claimed of a record of which a part was not read', async () => {
  // 90 values of a variable are read, 150 are not, so that it is not known whether an endpoint is gone.
  const { statement, changes = [] } = await call('get_history', { handle: 'com.vendor/cut' });
  expect(changes).toEqual([
    '2026-10-02 version `1.0.1` (published 2026-10-02) was not compared as a whole',
    `2026-10-01 version \`1.0.0\` (published 2026-10-01) ${first}; it recorded the endpoint \`https://{host}/mcp\`, which needs a secret header \`STRIPE_KEY\`, and takes a variable \`host\``,
  ]);
  expect(statement).toContain('2 versions, not compared as a whole');
  // A secret that was not read is not called gone, and the answer says that something was not read.
  const { signals } = await call('get_agent', { handle: 'com.vendor/crowded' });
  expect((signals as { imported: string }).imported).toContain('2 versions, not compared as a whole');
});

describe('what is cut', () => {
  it('is never the host of a new owner, nor who else gets a secret', async () => {
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

  it('is no move, however many versions follow, and if versions are deleted later', async () => {
    const moved = /moved the endpoint from `mail\.vendor\.com` to `mail\.evil\.com` and now asks callers/;
    const told = async () => {
      const { changes } = await call('get_history', { handle: 'com.vendor/long' });
      return [await movesOf('long'), String(changes), await unmoved('long')];
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

it('of versions of which one made a move, the history says so, on its page too', async () => {
  const entries = versions(
    'mixed',
    at(vendor),
    at('https://mail.evil.test/mcp'),
    at('https://mail.evil.test/mcp'),
  );
  const directory = await openedDirectory({ entries });
  const said =
    'Of 3 versions, 1 made a move (another endpoint, transport, package, argument, repository or secret); in 1 more, nothing that is compared differs.';
  const ask = (kind?: string) =>
    callTool<{ statement: string; changes: string[] }>(directory, 'get_history', {
      handle: 'com.vendor/mixed',
      kind,
    });
  expect((await ask()).statement).toContain(said);
  const ofReach = await ask('reach');
  expect(ofReach.changes).toEqual([
    '2026-10-02 version `1.0.1` (published 2026-10-02) moved the endpoint from `mail.vendor.com` to `mail.evil.test` and now asks callers to send the secret `STRIPE_KEY`, named before, to `mail.evil.test`',
  ]);
  const ofTools = await ask('tools');
  expect(ofTools.changes).toEqual([]);
  expect([ofReach, ofTools].map((one) => one.statement.includes('made a move'))).toEqual([false, false]);
  expect(await (await directory.app.request('/agents/com.vendor/mixed/history')).text()).toContain(said);
});

describe('what a version changed besides what moves callers', () => {
  const textAt = (text: string) => at({ url: vendor, headers: [{ ...key, description: `Key of ${text}` }] });
  const entries = [
    ...versions('texts', textAt('app.vendor.com'), textAt('beta.vendor.com'), {
      ...textAt('beta.vendor.com'),
      title: 'Mail',
      repository: { url: 'https://github.com/vendor/mail', source: 'github' },
    }),
    ...versions('ahead', at(vendor), at('https://mail.vendor.com/key')).map(({ server }, n) => {
      const date = `2026-10-0${n + 1}T08:00:00Z`;
      return registryEntry('com.vendor/ahead', server, {
        publishedAt: date,
        updatedAt: date,
        isLatest: n === 0,
      });
    }),
    ...versions(
      'flood',
      at(vendor),
      at('https://mail.vendor.com/key'),
      ...Array.from({ length: 6 }, (_, n) => ({ ...at('https://mail.vendor.com/key'), title: `Mail ${n}` })),
    ),
    ...versions('same', at(vendor), at(vendor)),
    ...versions('released', npm(), npm({}, '1.0.1')),
  ];
  const ask = async (name: string, input: object = {}) => {
    const directory = await openedDirectory({ entries });
    const answer = await callTool<{ statement: string; changes: string[] }>(directory, 'get_history', {
      handle: `com.vendor/${name}`,
      ...input,
    });
    const page = async (path: string) =>
      (await (await directory.app.request(`/agents/com.vendor/${name}/${path}`)).text()).replace(
        /<[^>]+>/g,
        '',
      );
    return { ...answer, directory, versions: await page('versions'), history: await page('history') };
  };

  it('is named in the history and on the page of versions', async () => {
    const { changes, statement, versions: page, history } = await ask('texts');
    expect(changes).toEqual([
      '2026-10-03 version `1.0.2` (published 2026-10-03) newly names the repository `github.com/vendor/mail`; changed title besides; endpoint as before',
      '2026-10-02 version `1.0.1` (published 2026-10-02) changed wording or place of inputs',
      `2026-10-01 version \`1.0.0\` (published 2026-10-01) ${first}; it recorded the endpoint \`https://mail.vendor.com/mcp\`, which needs a secret header \`STRIPE_KEY\``,
    ]);
    expect(statement).toContain(
      'Of 3 versions, 1 made a move (another endpoint, transport, package, argument, repository or secret), 1 changed other fields.',
    );
    expect(history).toContain('changed wording or place of inputs');
    expect(page).toContain('changed wording or place of inputs');
    expect(page).toContain('newly names the repository github.com/vendor/mail; changed title besides');
    expect(page).toContain(first);
  });

  it('pushes no move back, however many versions change it', async () => {
    const moved =
      '2026-10-02 version `1.0.1` (published 2026-10-02) changed the address from `https://mail.vendor.com/mcp` to `https://mail.vendor.com/key`; host as before';
    const { changes } = await ask('flood');
    expect(changes).toEqual([
      '2026-10-08 6 versions, `1.0.2` to `1.0.7` (published from 2026-10-03 to 2026-10-08), changed title, and no endpoint, transport, package name, argument value, repository or secret',
      moved,
      `2026-10-01 version \`1.0.0\` (published 2026-10-01) ${first}; it recorded the endpoint \`https://mail.vendor.com/mcp\`, which needs a secret header \`STRIPE_KEY\``,
    ]);
    const since = (await ask('flood', { since: '2026-10-07' })).changes;
    expect(since[0]).toMatch(/^2026-10-08 2 versions, `1\.0\.6` to `1\.0\.7` /);
  });

  it('leads from each version to its event in the history, which may tell of several versions', async () => {
    const { directory } = await ask('flood');
    await directory.importEntries(
      versions('flood', at('https://mail.vendor.com/key'), at('https://new.vendor.com/mcp')).map(
        ({ server }) =>
          registryEntry(
            'com.vendor/flood',
            { ...server, version: '2.0.0' },
            { publishedAt: '2026-10-20T08:00:00Z', updatedAt: '2026-10-20T08:00:00Z' },
          ),
      ),
    );
    directory.wait(120);
    const page = async (path: string) =>
      (await directory.app.request(`/agents/com.vendor/flood/${path}`)).text();
    const links = [...(await page('versions')).matchAll(/history\?kind=record#(at-\d+)/g)];
    const history = await page('history?kind=record');
    expect(links).toHaveLength(8);
    expect(links.filter(([, id]) => !history.includes(`id="${id}"`))).toEqual([]);
  });

  it('is a version of its package, if nothing else differs', async () => {
    const { changes } = await ask('released');
    expect(changes[0]).toBe(
      '2026-10-02 version `1.0.1` (published 2026-10-02) changed package version from `1.0.0` to `1.0.1`',
    );
    expect(changes).toHaveLength(2);
  });

  it('of a version that was published after the shown one, is told as well', async () => {
    const { changes, directory, versions: page } = await ask('ahead');
    const moved = 'changed the address from `https://mail.vendor.com/mcp` to `https://mail.vendor.com/key`';
    expect(changes[0]).toBe(
      `2026-10-02 version \`1.0.1\` (published 2026-10-02, not the version shown) ${moved}; host as before`,
    );
    expect(page).toContain(moved.replaceAll('`', ''));
    // The move stands out only if it leads to another host or asks for another secret.
    const { stands_out } = await callTool<{ stands_out?: string[] }>(directory, 'get_agent', {
      handle: 'com.vendor/ahead',
    });
    expect(stands_out).toEqual([
      '`1.0.1`, not the version shown, was published later, 2026-10-02; its registry marks the version shown as latest (record).',
      'The record asks for 1 secret.',
    ]);
  });

  it('is said not to be there only of what was compared', async () => {
    const { statement, versions: page } = await ask('same');
    expect(statement).toContain(`${none}.`);
    expect(page).toContain(
      'changed only the version of the record; all else that is compared, package versions too, is as before',
    );
  });

  it('is told by the dates of the record where nothing was kept of the day', async () => {
    const directory = await openedDirectory({ entries });
    const answer = await directory.post('/api/tools/get_history', {
      handle: 'com.vendor/texts',
      until: '2026-10-02',
    });
    expect(await answer.text()).toContain(
      'Dossier kept nothing of this listing on 2026-10-02: it first read the record on',
    );
  });
});
