import type { z } from 'zod';
import { settingsError } from '../core/process.ts';
import type { Selection } from './files.ts';
import { settings } from './settings.ts';

type Settings = typeof settings;
type Values = { [K in keyof Settings as Settings[K]['key']]: z.output<Settings[K]['check']> };

export interface Config extends Values {
  readonly version: string;
  /** False if no service runs at `publicUrl`. */
  readonly hasPages: boolean;
  readonly claimFile: string;
  /** Empty if no file has views; a file without any may have some later. */
  readonly viewsFile: string;
  /** With `readers`: not listed, without feeds, judged when read. A changed file replaces both lists. */
  readonly privateViews: readonly Selection[];
  /** `<REGISTRY_NAME> (MCP)`, perhaps with `, saved copy`. */
  readonly origin: string;
}

const plainChoice: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'invalid_value') return undefined;
  const words = issue.values.map((value) => (value === '' ? 'empty' : String(value)));
  return [words.slice(0, -1).join(', '), words.at(-1)].join(' or ');
};

export const toUrlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export const acceptedHosts = ({ allowedHosts, publicUrl, host }: Config): readonly string[] =>
  allowedHosts.length > 0
    ? allowedHosts
    : [new URL(publicUrl).hostname, toUrlHost(host), 'localhost', '127.0.0.1', '[::1]'];

export const splitViews = (views: readonly Selection[]): Pick<Config, 'views' | 'privateViews'> => ({
  views: views.filter(({ readers }) => !readers),
  privateViews: views.filter(({ readers }) => readers),
});

/** Throws ExitError (78) with a line for each malformed setting. */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  version: string,
): Config {
  const wrong: string[] = [];
  const read = Object.entries(settings).map(([name, { key, default: fallback, check }]) => {
    const parsed = check.safeParse(environment[name] || fallback, { error: plainChoice });
    if (!parsed.success) {
      wrong.push(`${name}: ${[...new Set(parsed.error.issues.map(({ message }) => message))].join('; ')}`);
    }
    return [key, parsed.data];
  });
  const values = Object.fromEntries(read) as Values;
  if (wrong.length > 0) throw settingsError(wrong.join('\n'));
  return {
    ...values,
    ...splitViews(values.views),
    viewsFile: environment.VIEWS ?? '',
    publicUrl: values.publicUrl || `http://${toUrlHost(values.host)}:${values.port}`,
    version,
    hasPages: true,
    claimFile: 'dossier-claim.txt',
    origin: `${values.registryName || sourceName(values.registryUrl)} (MCP)${values.registryUrl.startsWith('file:') ? copySuffix : ''}`,
  };
}

export const copySuffix = ', saved copy';

/** With `off`, listings are of the sample's registry. */
const sourceName = (url: string) => {
  if (url.startsWith('file:')) return url.slice(url.lastIndexOf('/') + 1).replace(/^file:/, '');
  return url === 'off' ? 'registry.modelcontextprotocol.io' : new URL(url).host;
};

export const vantageOf = ({ observeVantage, publicUrl }: Config): string =>
  observeVantage || new URL(publicUrl).host;
