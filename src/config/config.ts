import type { z } from 'zod';
import { ExitError, exitCodes } from '../core/process.ts';
import type { SavedView } from './files.ts';
import { settings } from './settings.ts';

type Settings = typeof settings;
type Values = { [K in keyof Settings as Settings[K]['key']]: z.output<Settings[K]['check']> };

/** The effective settings: what was read from the environment, and what follows from it. */
export interface Config extends Values {
  readonly version: string;
  /** Whether this process serves the pages at `publicUrl`, or PUBLIC_URL says who does. */
  readonly hasPages: boolean;
  /** Name of the claim file at a repository's root. */
  readonly claimFile: string;
  /**
   * Views that name their readers; `views` are the others, which alone are listed, fed and judged in advance.
   */
  readonly privateViews: readonly SavedView[];
  /** Where listings come from, as shown: `<REGISTRY_NAME> (MCP)`, with `, saved copy` for a saved copy. */
  readonly origin: string;
}

/** What a setting may be, where its check names no form: one of several words. */
const plainChoice: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== 'invalid_value') return undefined;
  const words = issue.values.map((value) => (value === '' ? 'empty' : String(value)));
  return [words.slice(0, -1).join(', '), words.at(-1)].join(' or ');
};

/**
 * Reads and checks the environment. Throws ExitError (78) naming every setting that is not well-formed, one
 * line each.
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

/** Ends the origin of listings that were read from a saved copy. */
export const copySuffix = ', saved copy';

/**
 * The host of a registry, the name of a saved copy's file; the shipped sample's registry if there is none.
 */
const sourceName = (url: string) => {
  if (url.startsWith('file:')) return url.slice(url.lastIndexOf('/') + 1).replace(/^file:/, '');
  return url === 'off' ? 'registry.modelcontextprotocol.io' : new URL(url).host;
};

/** Name of the vantage of this service: OBSERVE_VANTAGE, else the host of PUBLIC_URL. */
export const vantageOf = ({ observeVantage, publicUrl }: Config): string =>
  observeVantage || new URL(publicUrl).host;
