import { z } from 'zod';
import { baseUrl, optionalBaseUrl } from './checks.ts';

/** A switch. */
export const onOff = z.enum(['on', 'off']).transform((value) => value === 'on');
/** A whole number between two others, both included. */
export function wholeNumber(from: number, to: number) {
  const wanted = `a whole number from ${from} to ${to}`;
  return z.coerce.number(wanted).int(wanted).min(from, wanted).max(to, wanted);
}
/** A port; 0 lets the system choose. */
export const port = wholeNumber(0, 65_535);
const durationUnits = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
/** A time as `30m`, in seconds. */
export const duration_s = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, 'a number with s, m, h or d, for example 30m')
  .transform(
    (text) => Number(text.slice(0, -1)) * durationUnits[text.slice(-1) as keyof typeof durationUnits],
  );

/** Limits by their names, as `claim=20/2m`. */
export const limitOverrides = z
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

/** Addresses of DNS servers; undefined for none. */
export const dnsServers = z
  .string()
  .regex(/^(?:(?:[\d.]+|\[[\da-f:]+\]):\d{1,5}(?:,(?!$)|$))*$/i, 'address:port, separated by commas')
  .transform((text) => (text === '' ? undefined : text.split(',')));

/** Where the git and raw faces of a repository host are reached. */
const hostBases = z.strictObject({
  git: baseUrl,
  raw: baseUrl,
  layout: z.enum(['github', 'gitlab', 'forgejo', 'bitbucket']).optional(),
});
/** Where the best-known hosts are reached. */
export const officialHosts = {
  'github.com': { git: 'https://github.com', raw: 'https://raw.githubusercontent.com' },
  'gitlab.com': { git: 'https://gitlab.com', raw: 'https://gitlab.com', layout: 'gitlab' },
};
/** A JSON text, parsed. */
export const json = z.string().transform((text, issues) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    issues.addIssue({ code: 'custom', message: 'not JSON' });
    return z.NEVER;
  }
});
/** Repository hosts by their names. */
export const hosts = json
  .pipe(z.record(z.string().regex(/^[a-z0-9.-]+$/), hostBases))
  .refine((named) => Object.keys(named).length > 0, 'names no host, so that no listing could be claimed');

/** Bases of package registries; empty or not named: not asked. */
export const packageRegistries = json.pipe(
  z.strictObject({
    npm: optionalBaseUrl.default(''),
    pypi: optionalBaseUrl.default(''),
    oci: optionalBaseUrl.default(''),
  }),
);
/** Where the public package registries are reached. */
export const officialRegistries = {
  npm: 'https://registry.npmjs.org',
  pypi: 'https://pypi.org',
  oci: 'https://registry-1.docker.io',
};
