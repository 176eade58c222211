import { isIP } from 'node:net';
import { z } from 'zod';

const isPlainBase = (url: URL | null) =>
  url !== null &&
  /^https?:$/.test(url.protocol) &&
  url.username + url.password === '' &&
  !/[?#]/.test(url.href);
const plainBase = 'an http or https address without user, query and fragment';

/** The address of a database as it may be shown: file and memory as they are, others without what may be a password. */
export function toShownDatabase(text: string): string {
  if (/^(file:|:memory:)/.test(text)) return text;
  const url = URL.parse(text);
  if (!url) return 'postgres://***';
  if (url.password) url.password = '***';
  for (const name of ['password', 'sslpassword'])
    if (url.searchParams.has(name)) url.searchParams.set(name, '***');
  return url.href;
}

const withoutSlashes = (text: string) => text.replace(/\/+$/, '');

/** An http or https address that paths can be put behind: no user, query or fragment; without slashes at its end. */
export const baseUrl = z
  .string()
  .refine((text) => isPlainBase(URL.parse(text)), plainBase)
  .transform(withoutSlashes);

/** The same, or empty. */
export const optionalBaseUrl = z
  .string()
  .refine((text) => text === '' || isPlainBase(URL.parse(text)), plainBase)
  .transform(withoutSlashes);

/** A registry's address, a saved copy, or none. */
export const registrySource = z
  .string()
  .refine(
    (text) => text === 'off' || /^file:./.test(text) || isPlainBase(URL.parse(text)),
    `${plainBase}, file:... or off`,
  )
  .transform(withoutSlashes);

/** What can be listened on: an IP address or a host name. */
export const listenHost = z
  .string()
  .refine(
    (text) =>
      isIP(text) !== 0 || (/^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text) && URL.canParse(`http://${text}`)),
    'an IP address or a host name',
  );

const toItems = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

const listOf = (isItem: (item: string) => boolean, meaning: string) =>
  z.string().transform((text, issues) => {
    const items = toItems(text);
    const wrong = items.filter((item) => !isItem(item));
    for (const item of wrong) issues.addIssue({ code: 'custom', message: `${item} is not ${meaning}` });
    return wrong.length > 0 ? z.NEVER : items;
  });

/** Base addresses, comma separated; each without slashes at its end. */
export const baseUrls = listOf((item) => isPlainBase(URL.parse(item)), plainBase).transform((items) =>
  items.map(withoutSlashes),
);

/** Host names as a Host header has them, with or without a port; comma separated. */
export const hostHeaders = listOf(
  (item) => /^[^/?#@\s]+$/.test(item) && URL.canParse(`http://${item}`),
  'a host name, with or without a port',
);

function isNetwork(item: string): boolean {
  const [address = '', bits, ...rest] = item.split('/');
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (rest.length > 0 || longest < 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
}

/** IP addresses and CIDR ranges, comma separated. */
export const networks = listOf(isNetwork, 'an IP address or CIDR range');

/** Where metrics are listened on: a port of loopback, or address:port; undefined where `off`. */
export const metricsListener = z
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

/** A name that texts, headers and MCP can carry. */
export const shownName = z
  .string()
  .regex(
    /^[A-Za-z0-9]([A-Za-z0-9 ._-]{0,38}[A-Za-z0-9])?$/,
    'up to 40 letters, digits, spaces, dots and dashes',
  );
