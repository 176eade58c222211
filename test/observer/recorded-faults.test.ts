import type { RequestListener } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createRepositoryReader, type RepositoryReader } from '../../src/net/git.ts';
import {
  type Answer,
  type Facts,
  html,
  passing,
  setPatience,
  status,
  undated,
  wrongCells,
} from '../support/endpoints/faults.ts';
import { npmPackument, pypiRelease, type Stored } from '../support/endpoints/package-registry.ts';
import { type Sigstore, startSigstore } from '../support/endpoints/sigstore.ts';
import { registryEntry } from '../support/entries.ts';
import { createGitServer } from '../support/git-server.ts';
import { partOf } from '../support/long.ts';
import { opened, openedDirectory, openedEndpoint } from '../support/opened.ts';
import { operationsOf } from '../support/operations.ts';

const published = { _npmUser: { name: 'alice' }, scripts: { install: 'node-gyp rebuild' } };
const attested = {
  dist: {
    integrity: `sha512-${Buffer.alloc(64, 7).toString('base64')}`,
    attestations: { provenance: { predicateType: 'https://slsa.dev/provenance/v1' } },
  },
};
const wheel = '/integrity/snake/0.9/snake-0.9-py3-none-any.whl/provenance';
const statementOf = (digest: object, predicateType: string) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'x', digest }],
  predicateType,
  predicate: {},
});

/** What the registries hold, each package with provenance. */
async function publish(sigstore: Sigstore): Promise<Readonly<Record<string, Stored>>> {
  const slsa = 'https://slsa.dev/provenance/v1';
  const ofNpm = await sigstore.sign(statementOf({ sha512: '07'.repeat(64) }, slsa), 'example/there');
  const { verificationMaterial, dsseEnvelope } = await sigstore.sign(
    statementOf({ sha256: 'ab'.repeat(32) }, 'https://docs.pypi.org/attestations/publish/v1'),
    'example/there',
  );
  const attestation = {
    verification_material: {
      certificate: verificationMaterial.certificate?.rawBytes,
      transparency_entries: verificationMaterial.tlogEntries,
    },
    envelope: { statement: dsseEnvelope?.payload, signature: dsseEnvelope?.signatures[0]?.sig },
  };
  return {
    '/server': npmPackument(
      'server',
      { '1.1.0': published, '1.2.0': { ...attested, ...published } },
      { '1.1.0': '2026-01-01T10:00:00.000Z', '1.2.0': '2026-02-01T10:00:00.000Z' },
    ),
    '/-/npm/v1/attestations/server@1.2.0': { attestations: [{ predicateType: slsa, bundle: ofNpm }] },
    '/pypi/snake/json': pypiRelease('snake', '0.9'),
    [wheel]: { attestation_bundles: [{ attestations: [attestation] }] },
    '/v2/example/server/manifests/1.0': { schemaVersion: 2 },
  };
}

const packages = [
  { registryType: 'npm', identifier: 'server', version: '1.2.0' },
  { registryType: 'pypi', identifier: 'snake', version: '0.9' },
  { registryType: 'oci', identifier: 'docker.io/example/server:1.0' },
];
const repository = { url: 'https://github.com/example/there', source: 'github' };
/**
 * Of packages and repositories nothing is said by what asks for credentials either, except by git's own 401.
 */
const faults: Readonly<Record<string, Answer>> = {
  ...passing,
  s403: status(403, { 'retry-after': '30' }),
  login: (_, response) => void response.writeHead(302, { location: '/users/sign_in' }).end(),
  page: (_, response) => html(response, 200, '<form><input type="password"></form>'),
};
const ofPackages: typeof faults = {
  ...faults,
  s401: status(401),
  challenged: status(401, { 'www-authenticate': 'Basic realm="x"' }),
};

/** JSON may be what is in a file. */
const { 'rpc-200': _, ...ofFiles } = faults;

const isProvenance = (path: string) => path.startsWith('/-/npm/v1/attestations') || path === wheel;
const parts: Readonly<Record<string, readonly [isFaulty: (path: string) => boolean, faults: typeof faults]>> =
  {
    registries: [(path) => path.startsWith('/'), ofPackages],
    provenance: [isProvenance, { ...ofPackages, s404: status(404) }],
    repository: [(path) => path.startsWith('git'), faults],
    'raw files': [(path) => path.startsWith('git /raw'), ofFiles],
  };

/**
 * The faults of a part; by default a quarter of them, another one for each part, so that every fault is met
 * once.
 */
function faultsOf(part: string, ofPart: typeof faults): string[] {
  const at = Object.keys(parts).indexOf(part);
  const names = Object.keys(ofPart);
  return partOf(
    names.filter((_, n) => n % 4 === at),
    names,
  );
}

let isFaulty: (path: string) => boolean = () => false;
let fault: Answer = status(404);
const handles = ['known', 'second', 'third'].map((name) => `com.example.recorded/${name}`);
const firstSeen = (part: string, name: string) =>
  `com.example.recorded/${`${part}-${name}`.replaceAll(' ', '-')}`;

const sigstore = await opened(startSigstore());
const content = await publish(sigstore);
const git = await opened(createGitServer());
git.createRepository('example/there').commit({ 'dossier-claim.txt': 'superseded-by: com.example/new\n' });
git.fault = (request, response) => {
  const path = request.url ?? '';
  if (!isFaulty(`git ${path}`)) return false;
  fault({ body: '', path, origin: git.url }, response, request);
  return true;
};
const registry = await openedEndpoint(((_, request, response) => {
  const path = request.url ?? '';
  if (isFaulty(path)) return fault({ body: '', path, origin: registry.url }, response, request);
  const stored = content[path];
  response.writeHead(stored ? 200 : 404).end(JSON.stringify(stored ?? { error: 'Not found' }));
}) as (body: string, ...exchange: Parameters<RequestListener>) => void);
const directory = await openedDirectory({
  entries: [
    ...handles,
    ...Object.entries(parts).flatMap(([part, [, ofPart]]) =>
      Object.keys(ofPart).map((name) => firstSeen(part, name)),
    ),
  ].map((handle) => registryEntry(handle, { packages, repository, remotes: [] })),
  environment: {
    LIMITS: 'off',
    PACKAGE_REGISTRIES: JSON.stringify({ npm: registry.url, pypi: registry.url, oci: registry.url }),
    REPOSITORY_HOSTS: JSON.stringify({ 'github.com': { git: git.url, raw: `${git.url}/raw` } }),
    SIGSTORE_ROOT: sigstore.rootFile,
  },
});
const hosts = directory.context.config.repositoryHosts;
const [patient, impatient] = [600_000, 800].map((ms) => createRepositoryReader(hosts, ms)) as [
  RepositoryReader,
  RepositoryReader,
];
const reader = () => (fault === passing.hang ? impatient : patient);
const repositories: RepositoryReader = {
  place: patient.place,
  check: (...asked) => reader().check(...asked),
  head: (...asked) => reader().head(...asked),
  commit: (...asked) => reader().commit(...asked),
  readAt: (...asked) => reader().readAt(...asked),
};
const observer = await opened(operationsOf({ ...directory.context, repositories }));

async function look(handle = handles[0] as string): Promise<Facts> {
  setPatience(directory.context, fault === passing.hang, 800);
  const { observations } = await observer.observe(handle);
  const found = observations.filter(({ kind }) => /^(?:package|repository)\./.test(kind));
  return new Map(found.map((one) => [`${one.kind} ${one.subject ?? ''}`, one]));
}

describe.each(Object.entries(parts))('%s', (part, [isOfPart, ofPart]) => {
  it.runIf(/^r.* files$|^repository$/.test(part)).each(faultsOf(part, ofPart))(
    '%s makes no fact at the first check',
    async (name) => {
      const handle = firstSeen(part, name);
      fault = ofPart[name] as Answer;
      isFaulty = isOfPart;
      directory.wait(86_400);
      const first = await look(handle);
      isFaulty = () => false;
      fault = status(404);
      directory.wait(86_400);
      const { size } = first;
      const known = [...first].filter(([, { value, outcome }]) => value !== null && outcome === 'seen');
      const later = await look(handle);
      expect(size).toBeGreaterThan(5);
      expect(known.filter(([key, { value }]) => !isDeepStrictEqual(later.get(key)?.value, value))).toEqual(
        [],
      );
    },
  );

  it.each(faultsOf(part, ofPart))(
    '%s makes no fact false, drops none and dates none anew, once and twice',
    async (name) => {
      directory.wait(86_400);
      const first = await look();
      expect(
        [...first.values()].filter(({ outcome }) => outcome === 'seen').map(({ kind }) => kind),
      ).toHaveLength(19);
      fault = ofPart[name] as Answer;
      isFaulty = isOfPart;
      directory.wait(600);
      const once = await look();
      directory.wait(600);
      const twice = await look();
      isFaulty = () => false;
      fault = status(404);
      directory.wait(86_400);
      const after = await look();
      expect([once, twice, after].map((now) => wrongCells(first, now, false))).toEqual([[], [], []]);
      expect([...twice.values()].some(({ missed }) => missed)).toBe(true);
      expect([...after.values()].some(({ missed }) => missed)).toBe(false);
    },
  );
});

it('of what was seen, says at the second check, an hour later, that it is not there', async () => {
  directory.wait(86_400);
  const first = await look();
  fault = status(404);
  isFaulty = () => true;
  expect(wrongCells(first, await look(), false)).toEqual([]);
  directory.wait(600);
  expect(wrongCells(first, await look(), false)).toEqual([]);
  directory.wait(3600);
  const gone = [...(await look()).values()].filter(({ kind }) => /exists|head|deprecated/.test(kind));
  expect(new Set(gone.map(({ outcome }) => outcome))).toEqual(new Set(['absent']));
  isFaulty = () => false;
  directory.wait(86_400);
  expect(wrongCells(undated(first), undated(await look()), false)).toEqual([]);
});

it('asks a registry that wants to be left alone nothing more, and what was seen of other listings stands', async () => {
  const [, second, third] = handles as [string, string, string];
  directory.wait(86_400);
  const first = await look(second);
  fault = status(429, { 'retry-after': '900' });
  isFaulty = (path) => path.startsWith('/');
  await look();
  const { length } = registry.sent;
  const now = await look(second);
  expect(wrongCells(first, now, false)).toEqual([]);
  const { host } = new URL(registry.url);
  const reason = `\`${host}\` asked Dossier to wait (Retry-After) before the next request.`;
  expect(now.get('package.exists npm:server')?.missed?.reason).toBe(reason);
  expect((await look(third)).get('package.exists npm:server')).toMatchObject({
    outcome: 'not_asked',
    value: null,
    reason,
  });
  expect(registry.sent).toHaveLength(length);
  isFaulty = () => false;
  directory.wait(901);
  expect((await look(third)).get('package.exists npm:server')).toMatchObject({ outcome: 'seen' });
});
