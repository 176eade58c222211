import type { z } from 'zod';
import { ExitError, exitCodes } from '../core/process.ts';
import type { Selection } from './files.ts';
import { settings } from './settings.ts';

type Settings = typeof settings;
type Values = { [K in keyof Settings as Settings[K]['key']]: z.output<Settings[K]['check']> };

/** The settings in force: those read from the environment, and what follows from them. */
export interface Config extends Values {
  readonly version: string;
  /**
   * Tells whether this process serves the pages at `publicUrl`, or PUBLIC_URL names the service that does.
   */
  readonly hasPages: boolean;
  readonly claimFile: string;
  /**
   * Views with `readers`; the others are in `views`. Only the others are listed, have feeds and are judged in
   * advance.
   */
  readonly privateViews: readonly Selection[];
  /** The shown origin of listings: `<REGISTRY_NAME> (MCP)`, followed by `, saved copy` for a saved copy. */
  readonly origin: string;
}

/** Names the allowed words in the error of a setting whose check has no message of its own. */
const plainChoice: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'invalid_value') return undefined;
  const words = issue.values.map((value) => (value === '' ? 'empty' : String(value)));
  return [words.slice(0, -1).join(', '), words.at(-1)].join(' or ');
};

/**
 * Reads and checks the environment. Throws ExitError (78) with one line for each setting that is not
 * well-formed.
 */
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
  if (wrong.length > 0) throw new ExitError(exitCodes.configuration, wrong.join('\n'));
  return {
    ...values,
    views: values.views.filter(({ readers }) => !readers),
    privateViews: values.views.filter(({ readers }) => readers),
    publicUrl:
      values.publicUrl ||
      `http://${values.host.includes(':') ? `[${values.host}]` : values.host}:${values.port}`,
    version,
    hasPages: true,
    claimFile: 'dossier-claim.txt',
    origin: `${values.registryName || sourceName(values.registryUrl)} (MCP)${values.registryUrl.startsWith('file:') ? copySuffix : ''}`,
  };
}

export const copySuffix = ', saved copy';

/** The host of a registry or the file name of a saved copy. Without either, the shipped sample's registry. */
const sourceName = (url: string) => {
  if (url.startsWith('file:')) return url.slice(url.lastIndexOf('/') + 1).replace(/^file:/, '');
  return url === 'off' ? 'registry.modelcontextprotocol.io' : new URL(url).host;
};

/** The name of this service's vantage: OBSERVE_VANTAGE, or by default the host of PUBLIC_URL. */
export const vantageOf = ({ observeVantage, publicUrl }: Config): string =>
  observeVantage || new URL(publicUrl).host;
