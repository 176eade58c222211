import type { Directory } from '../directory.ts';
import { type Endpoint, startEndpoint } from './mcp-endpoint.ts';

/** What a stub registry answers at a path: JSON with status 200, or a status and text of its own. */
export type Stored =
  | Readonly<Record<string, unknown>>
  | { readonly status: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> };

const isPlain = (stored: Stored): stored is Extract<Stored, { text: string }> =>
  typeof stored.status === 'number' && typeof stored.text === 'string';

/**
 * A registry on loopback that answers by path; what it does not have is 404. Its content may change between
 * two looks.
 */
export const startPackageRegistry = (content: () => Readonly<Record<string, Stored>>): Promise<Endpoint> =>
  startEndpoint((_, { url = '' }, response) => {
    const stored = content()[url];
    if (!stored)
      return void response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error":"Not found"}');
    if (isPlain(stored)) return void response.writeHead(stored.status, stored.headers).end(stored.text);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(stored));
  });

/** Checks a listing: the value, or else the outcome, of each fact about its package by its kind. */
export async function packageFactsOf(directory: Directory, handle: string): Promise<Record<string, unknown>> {
  const { observations } = await directory.observe(handle);
  const found = observations.filter(({ kind }) => kind.startsWith('package.'));
  return Object.fromEntries(
    found.map(({ kind, outcome, value }) => [kind.replace('package.', ''), value ?? outcome]),
  );
}

/** A version as a packument of npm has it. */
export const npmVersion = (name: string, version: string, more: object = {}) => ({
  name,
  version,
  dist: {
    shasum: '0'.repeat(40),
    tarball: `https://registry.npmjs.org/${name}/-/x-${version}.tgz`,
    integrity: 'sha512-AA==',
  },
  maintainers: [{ name: 'alice', email: 'alice@example.org' }],
  ...more,
});

/** A packument as npm sends it. */
export function npmPackument(
  name: string,
  versions: Readonly<Record<string, object>>,
  times: Readonly<Record<string, string>>,
) {
  return {
    _id: name,
    name,
    'dist-tags': { latest: Object.keys(versions).at(-1) },
    versions: Object.fromEntries(
      Object.entries(versions).map(([version, more]) => [version, npmVersion(name, version, more)]),
    ),
    time: { created: '2025-01-01T00:00:00.000Z', modified: '2026-01-01T00:00:00.000Z', ...times },
    maintainers: [
      { name: 'bob', email: 'bob@example.org' },
      { name: 'alice', email: 'alice@example.org' },
    ],
  };
}

/** A release as PyPI's JSON has it. */
export const pypiRelease = (name: string, version: string, yanked_reason?: string) => ({
  info: {
    name,
    version,
    yanked: yanked_reason !== undefined,
    yanked_reason: yanked_reason ?? null,
    author: 'A',
  },
  last_serial: 1,
  urls: [
    {
      filename: `${name}-${version}-py3-none-any.whl`,
      packagetype: 'bdist_wheel',
      upload_time_iso_8601: '2026-03-04T05:06:07.890123Z',
      yanked: yanked_reason !== undefined,
      yanked_reason: yanked_reason ?? null,
      digests: { sha256: 'ab'.repeat(32) },
    },
  ],
  vulnerabilities: [],
});
