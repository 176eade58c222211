import { isIP } from 'node:net';
import { z } from 'zod';
import { attempt } from '../core/json.ts';
import { readNetwork } from '../core/network.ts';
import { day_s, isWebAddress } from '../core/text.ts';
import { textFile, viewsFile } from './files.ts';

const isPlainBase = (url: URL | null) =>
  url !== null &&
  /^https?:$/.test(url.protocol) &&
  url.username + url.password === '' &&
  !/[?#]/.test(url.href);
const plainBase = 'an http or https address without user, query and fragment';

/** With passwords masked. */
export function toShownDatabase(text: string): string {
  if (/^(file:|:memory:)/.test(text)) return text;
  const url = URL.parse(text);
  if (!url) return 'postgres://***';
  if (url.password) url.password = '***';
  for (const name of ['password', 'sslpassword'])
    if (url.searchParams.has(name)) url.searchParams.set(name, '***');
  return url.href;
}

const toBase = (text: string) =>
  (isPlainBase(URL.parse(text)) ? new URL(text).href : text).replace(/\/+$/, '');

const baseOr = (isOther: (text: string) => boolean, meaning = plainBase) =>
  z
    .string()
    .refine((text) => isOther(text) || isPlainBase(URL.parse(text)), meaning)
    .transform(toBase);

const baseUrl = baseOr(() => false);
const optionalBaseUrl = baseOr((text) => text === '');

const listenHost = z
  .string()
  .refine(
    (text) =>
      isIP(text) !== 0 || (/^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text) && URL.canParse(`http://${text}`)),
    'an IP address or a host name',
  );

const settingList = (isItem: (item: string) => boolean, meaning: string) =>
  z.string().transform((text, issues) => {
    const items = text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
    const wrong = items.filter((item) => !isItem(item));
    for (const item of wrong) issues.addIssue({ code: 'custom', message: `${item} is not ${meaning}` });
    return wrong.length > 0 ? z.NEVER : items;
  });

const baseUrls = settingList((item) => isPlainBase(URL.parse(item)), plainBase).transform((items) =>
  items.map(toBase),
);

/** Loopback without an address. */
const metricsListener = z
  .string()
  .refine(
    (text) => text === 'off' || /^([^\s:]+:|\[[0-9a-f:.]+\]:)?\d{1,5}$/i.test(text),
    'off, a port, or address:port',
  )
  .transform((text) => {
    if (text === 'off') return undefined;
    const [, host = '127.0.0.1', port] = /^(?:\[?(.+?)\]?:)?(\d+)$/.exec(text) ?? [];
    return { host, port: Number(port) };
  })
  .refine((listener) => (listener?.port ?? 0) <= 65_535, 'a port is at most 65535');

/** For texts, headers and MCP. */
const shownName = z
  .string()
  .regex(
    /^[A-Za-z0-9]([A-Za-z0-9 ._-]{0,38}[A-Za-z0-9])?$/,
    'up to 40 letters, digits, spaces, dots, underscores and dashes, with a letter or digit at both ends',
  );

const onOff = z.enum(['on', 'off']).transform((value) => value === 'on');
function wholeNumber(from: number, to: number) {
  const wanted = `a whole number from ${from} to ${to}`;
  const isInRange = (value: number) => value >= from && value <= to;
  // Number() would read a space as 0.
  return z
    .string()
    .regex(/^\d{1,5}$/, wanted)
    .transform(Number)
    .refine(isInRange, wanted);
}
const port = wholeNumber(0, 65_535);
const durationUnits = { s: 1, m: 60, h: 3600, d: day_s } as const;
const duration_s = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, 'a number with s, m, h or d, for example 30m')
  .transform(
    (text) => Number(text.slice(0, -1)) * durationUnits[text.slice(-1) as keyof typeof durationUnits],
  );

const limitOverrides = z
  .string()
  .regex(
    /^([a-z_]+=[1-9]\d{0,5}\/[1-9]\d{0,4}[smhd](,(?!$)|$))*$/,
    'name=calls/time, comma separated, for example claim=20/2m',
  )
  .transform((text) =>
    Object.fromEntries(
      text
        .split(',')
        .filter(Boolean)
        .map((item) => {
          const [name = '', calls, time] = item.split(/[=/]/);
          return [name, { burst: Number(calls), refill_s: duration_s.parse(time) }];
        }),
    ),
  );

const dnsServers = z
  .string()
  .regex(/^(?:(?:[\d.]+|\[[\da-f:]+\]):\d{1,5}(?:,(?!$)|$))*$/i, 'address:port, separated by commas')
  .transform((text) => (text === '' ? undefined : text.split(',')));

const hostBases = z.strictObject({
  git: baseUrl,
  raw: baseUrl,
  layout: z.enum(['github', 'gitlab', 'forgejo', 'bitbucket']).optional(),
});
const officialHosts = {
  'github.com': { git: 'https://github.com', raw: 'https://raw.githubusercontent.com' },
  'gitlab.com': { git: 'https://gitlab.com', raw: 'https://gitlab.com', layout: 'gitlab' },
};
const json = z.string().transform((text, issues) => {
  const value = attempt(() => JSON.parse(text) as unknown);
  if (value !== undefined) return value;
  issues.addIssue({ code: 'custom', message: 'not JSON' });
  return z.NEVER;
});
const hosts = json
  .pipe(z.record(z.string().regex(/^[a-z0-9.-]+$/), hostBases))
  .refine((named) => Object.keys(named).length > 0, 'names no host, so that no repository could be read');

/** An empty or missing one is not asked. */
const packageRegistries = json.pipe(
  z.strictObject({
    npm: optionalBaseUrl.default(''),
    pypi: optionalBaseUrl.default(''),
    nuget: optionalBaseUrl.default(''),
    cargo: optionalBaseUrl.default(''),
    oci: optionalBaseUrl.default(''),
  }),
);
export const officialRegistries = {
  npm: 'https://registry.npmjs.org',
  pypi: 'https://pypi.org',
  nuget: 'https://api.nuget.org',
  cargo: 'https://crates.io',
  oci: 'https://registry-1.docker.io',
};

const setting = <const Key extends string, T extends z.ZodType>(
  key: Key,
  meaning: string,
  check: T,
  fallback = '',
  secret = false,
) => ({
  /** With the unit of a quantity. */
  key,
  meaning,
  check,
  default: fallback,
  secret,
});

/** Generates a table in docs/reference.md. */
export const settings = {
  SERVICE_NAME: setting('serviceName', 'Name of the service', shownName, 'Dossier'),
  HOST: setting('host', 'Address to listen on', listenHost, '127.0.0.1'),
  PORT: setting('port', 'Port to listen on; 0 picks one and prints it', port, '3000'),
  PUBLIC_URL: setting(
    'publicUrl',
    'Base of every absolute link; http://HOST:PORT when empty',
    optionalBaseUrl,
  ),
  DATABASE_URL: setting(
    'databaseUrl',
    '`file:...`, `:memory:`, or `postgres://...` for several nodes',
    z.string().regex(/^(file:.+|:memory:|postgres(ql)?:\/\/.+)$/, 'file:..., :memory: or postgres://...'),
    'file:./data/dossier.db',
    true,
  ),
  DATABASE_READ_URL: setting(
    'databaseReadUrl',
    'A replica of the PostgreSQL database for searches and lists (docs/operations.md)',
    z.string().regex(/^(postgres(ql)?:\/\/.+)?$/, 'postgres://...'),
    '',
    true,
  ),
  REGISTRY_URL: setting(
    'registryUrl',
    'Where listings come from: a registry, `file:...` with a saved copy (docs/registry.md), or `off`',
    baseOr((text) => text === 'off' || /^file:./.test(text), `${plainBase}, file:... or off`),
    'https://registry.modelcontextprotocol.io',
  ),
  REGISTRY_NAME: setting(
    'registryName',
    'Name of the origin of imported listings; the host or file of REGISTRY_URL when empty',
    z.string().max(100),
  ),
  IMPORT_INTERVAL: setting('importInterval_s', 'Time between incremental imports', duration_s, '1h'),
  IMPORT_FULL_INTERVAL: setting('importFullInterval_s', 'Time between full imports', duration_s, '7d'),
  REPOSITORY_HOSTS: setting(
    'repositoryHosts',
    'Repository hosts that are read, as JSON `{host: {git, raw, layout}}` with layout github (the default), gitlab, forgejo or bitbucket; a base may be on loopback',
    hosts,
    JSON.stringify(officialHosts),
  ),
  OBSERVE: setting(
    'observe',
    'When the service checks a listing: `asked`, when somebody reads it; `on`, also every OBSERVE_INTERVAL; `off`, never (docs/observations.md)',
    z.enum(['asked', 'on', 'off']),
    'asked',
  ),
  OBSERVE_INTERVAL: setting('observeInterval_s', 'Time between two checks of one listing', duration_s, '24h'),
  OBSERVE_MEMORY: setting(
    'observeMemory_mb',
    'Heap of the thread that checks listings, in MiB; a check that needs more is ended',
    wholeNumber(64, 65_536),
    '256',
  ),
  OBSERVE_VANTAGE: setting(
    'observeVantage',
    'Name of the vantage of checks; the host of PUBLIC_URL when empty',
    z.string().max(100),
  ),
  DNS_SERVERS: setting(
    'dnsServers',
    'DNS servers (`address:port`) that are asked for records and for addresses of foreign hosts. When empty, 1.1.1.1:53 and 8.8.8.8:53 are asked for records, and the servers of the system for addresses; nobody is asked for records of hosts in HOST_OVERRIDES',
    dnsServers,
  ),
  HOST_OVERRIDES: setting(
    'hostOverrides',
    'Addresses that are called in place of recorded hosts, as JSON `{"mcp.example.com": "http://127.0.0.1:4000"}`. Recorded addresses that are not public are reached only if named here',
    json.pipe(z.record(z.string().regex(/^[a-z0-9.:-]+$/), baseUrl)),
    '{}',
  ),
  WEBHOOK_OVERRIDES: setting(
    'webhookOverrides',
    'Addresses that are called in place of hosts of webhooks, in the form of HOST_OVERRIDES. Anyone can register webhooks at these hosts',
    json.pipe(z.record(z.string().regex(/^[a-z0-9.:-]+$/), baseUrl)),
    '{}',
  ),
  PACKAGE_REGISTRIES: setting(
    'packageRegistries',
    'Where recorded packages are looked up, as JSON `{npm, pypi, nuget, cargo, oci}`; oci is the base of docker.io. A kind without a base is not looked up; a base may be on loopback',
    packageRegistries,
    JSON.stringify(officialRegistries),
  ),
  SIGSTORE_ROOT: setting(
    'sigstoreRoot',
    'File with Sigstore keys (`trusted_root.json`); the shipped ones when empty',
    z.string().max(1000),
  ),
  ADVISORIES: setting(
    'advisories',
    'Where advisories about packages are read: the address of an OSV API, which gets [their names](observations.md#advisories), a saved copy of OSV (zip), or `off`',
    baseOr((text) => !isWebAddress(text) && text.length <= 1000, `${plainBase}, a file or off`),
    'https://api.osv.dev',
  ),
  VIEWS: setting('views', 'JSON file of views (docs/registry.md)', viewsFile),
  PRIVATE_LISTINGS: setting(
    'privateListings',
    'Folder of your own `server.json` files (docs/registry.md)',
    z.string().max(1000),
  ),
  PRICE_CATALOGS: setting(
    'priceCatalogs',
    'Catalogues of prices (x402 Bazaar), as base addresses without `/discovery/resources`',
    baseUrls,
  ),
  OPERATOR_NAME: setting('operatorName', 'Who runs the service, shown on /about', z.string().max(200)),
  OPERATOR_CONTACT: setting(
    'operatorContact',
    'How to reach the operator: an e-mail address or an https URL',
    z
      .string()
      .regex(/^(https:\/\/[^\s<>"]+|[^\s<>"@:]+@[^\s<>"@:]+)?$/, 'an e-mail address or https://...')
      .max(200),
  ),
  OPERATOR_TOKEN: setting(
    'operatorToken',
    'Bearer token of /reports on METRICS_PORT; no such page when empty',
    z.string().regex(/^(\S{16,200})?$/, '16 to 200 characters without spaces'),
    '',
    true,
  ),
  IMPRINT_URL: setting(
    'imprintUrl',
    'Imprint of the operator, linked on /about',
    z
      .string()
      .regex(/^(https:\/\/[^\s<>"]+)?$/, 'https://...')
      .max(500),
  ),
  CLAIM_KEYS: setting(
    'claimKeys',
    'Keys that sign challenges, `kid:base64,...`, newest first; when empty, the service makes its own',
    z
      .string()
      .regex(
        /^((\d\d?|1\d\d|2[0-4]\d|25[0-5]):[A-Za-z0-9+/]{43}=(,(?!$)|$))*$/,
        'kid:base64 of 32 bytes, comma separated; a kid is 0 to 255',
      ),
    '',
    true,
  ),
  CLAIM_RECHECK: setting('claimRecheck_s', 'Time between two checks of one claim', duration_s, '24h'),
  ALLOWED_HOSTS: setting(
    'allowedHosts',
    'Accepted Host headers; when empty, the hosts of PUBLIC_URL, HOST and loopback',
    settingList(
      (item) => /^[^/?#@\s]+$/.test(item) && URL.canParse(`http://${item}`),
      'a host name, with or without a port',
    ),
  ),
  ALLOWED_ORIGINS: setting(
    'allowedOrigins',
    'Origins of pages that may call MCP if PUBLIC_URL is not public; otherwise all may',
    baseUrls,
  ),
  TRUSTED_PROXIES: setting(
    'trustedProxies',
    'Addresses or CIDR ranges of proxies whose X-Forwarded-For is used',
    settingList((item) => readNetwork(item) !== undefined, 'an IP address or CIDR range'),
  ),
  CHECKPOINT_FILE: setting(
    'checkpointFile',
    'File for the newest checkpoint of the log, so that a restored backup is detected. When empty, the file is beside the SQLite file; PostgreSQL then has none',
    z.string().max(1000),
  ),
  WITNESSES: setting('witnesses', 'Policy file of the witnesses that cosign the log (docs/log.md)', textFile),
  BACKUP_DIR: setting(
    'backupDir',
    'Folder for backups, best on another disk; set it on one node only',
    z.string().max(1000),
  ),
  BACKUP_INTERVAL: setting('backupInterval_s', 'Time between two backups into BACKUP_DIR', duration_s, '24h'),
  BACKUP_KEEP: setting('backupKeep', 'How many backups stay in BACKUP_DIR', wholeNumber(1, 10_000), '7'),
  LIMITS: setting('hasLimits', '`off` lifts the rate limits, for benchmarks on loopback', onOff, 'on'),
  LIMIT_OVERRIDES: setting(
    'limitOverrides',
    '[Limits](#limits) that differ from the defaults, as `name=calls/time`: so many calls are allowed at once, and all of them again after that time',
    limitOverrides,
  ),
  LOG_LEVEL: setting(
    'logLevel',
    'trace, debug, info, warn, error or silent',
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    'info',
  ),
  LOG_FORMAT: setting(
    'logFormat',
    '`pretty` or `json`; when empty pretty on a terminal, else json',
    z.enum(['', 'pretty', 'json']),
  ),
  METRICS_PORT: setting(
    'metricsListener',
    'Port of 127.0.0.1, or address:port, that serves Prometheus metrics at /metrics to everyone',
    metricsListener,
    'off',
  ),
} as const;
