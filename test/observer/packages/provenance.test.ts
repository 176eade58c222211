import type { SerializedBundle } from '@sigstore/bundle';
import { expect, it } from 'vitest';
import { openBundleCheck } from '../../../src/observations/asked/packages/sigstore.ts';
import {
  npmPackument,
  pypiRelease,
  type Stored,
  startPackageRegistry,
} from '../../support/endpoints/package-registry.ts';
import { startSigstore } from '../../support/endpoints/sigstore.ts';
import { registryEntry } from '../../support/entries.ts';
import { connect } from '../../support/mcp-clients.ts';
import { opened, openedDirectory } from '../../support/opened.ts';

const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
const ofFile = { sha512: '07'.repeat(64) };
const dist = {
  integrity,
  attestations: {
    url: 'https://registry.npmjs.org/-/npm/v1/attestations/x@1.2.0',
    provenance: { predicateType: 'https://slsa.dev/provenance/v1' },
  },
};
const times = { '1.2.0': '2026-02-01T10:00:00.000Z', '1.3.0': '2026-03-01T10:00:00.000Z' };
/** A package whose version 1.2.0 has provenance and whose version 1.3.0 has none. */
const packument = (name: string) => npmPackument(name, { '1.2.0': { dist }, '1.3.0': {} }, times);

const statementOf = (name: string, digest: object, predicateType = 'https://slsa.dev/provenance/v1') => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name, digest }],
  predicateType,
  predicate: {},
});
/** What npm serves: its own statement of the publication, and the provenance of the build. */
const npmAttestations = (bundle: SerializedBundle): Stored => ({
  attestations: [
    { predicateType: 'https://github.com/npm/attestation/tree/main/specs/publish/v0.1', bundle: {} },
    { predicateType: 'https://slsa.dev/provenance/v1', bundle },
  ],
});
/** What PyPI serves (PEP 740), made of the same parts. */
const pypiProvenance = ({ verificationMaterial, dsseEnvelope }: SerializedBundle): Stored => ({
  version: 1,
  attestation_bundles: [
    {
      publisher: { kind: 'GitHub', repository: 'example/server', workflow: 'release.yml' },
      attestations: [
        {
          version: 1,
          verification_material: {
            certificate: verificationMaterial.certificate?.rawBytes,
            transparency_entries: verificationMaterial.tlogEntries,
          },
          envelope: { statement: dsseEnvelope?.payload, signature: dsseEnvelope?.signatures[0]?.sig },
        },
      ],
    },
  ],
});

const content: Record<string, Stored> = {};
const onNpm = (identifier: string, version = '1.2.0') => ({ registryType: 'npm', identifier, version });
const repository = { url: 'https://github.com/Example/server', source: 'github' };

const sigstore = await opened(startSigstore());
const stranger = await opened(startSigstore());
const publish = (name: string, bundle: SerializedBundle) => {
  content[`/${name}`] = packument(name);
  content[`/-/npm/v1/attestations/${name}@1.2.0`] = npmAttestations(bundle);
};
publish('same', await sigstore.sign(statementOf('pkg:npm/same@1.2.0', ofFile), 'example/server'));
publish('other', await sigstore.sign(statementOf('pkg:npm/other@1.2.0', ofFile), 'somebody/else'));
publish('swapped', await sigstore.sign(statementOf('x', { sha512: 'ff'.repeat(64) }), 'example/server'));
publish('forged', await stranger.sign(statementOf('x', ofFile), 'example/server'));
const sha256 = 'ab'.repeat(32);
const wheel = await sigstore.sign(
  statementOf('wheel', { sha256 }, 'https://docs.pypi.org/attestations/publish/v1'),
  'example/server',
);
content['/pypi/server/json'] = pypiRelease('server', '0.9');
content['/integrity/server/0.9/server-0.9-py3-none-any.whl/provenance'] = pypiProvenance(wheel);
const registry = await opened(startPackageRegistry(() => content));
const listed = (name: string, packages: object[], more: object = { repository }) =>
  registryEntry(name, { packages, ...more });
const directory = await openedDirectory({
  entries: [
    listed('com.example/same', [onNpm('same')]),
    listed('com.example/other', [onNpm('other')]),
    listed('com.example/swapped', [onNpm('swapped')]),
    listed('com.example/forged', [onNpm('forged')]),
    listed('com.example/dropped', [onNpm('same', '1.3.0')]),
    listed('com.example/unrecorded', [onNpm('same')], {}),
    listed('com.example/pypi', [{ registryType: 'pypi', identifier: 'server', version: '0.9' }]),
  ],
  environment: {
    PACKAGE_REGISTRIES: JSON.stringify({ npm: registry.url, pypi: registry.url }),
    SIGSTORE_ROOT: sigstore.rootFile,
    REPOSITORY_HOSTS: JSON.stringify({
      'git.invalid': { git: 'http://127.0.0.1:9', raw: 'http://127.0.0.1:9' },
    }),
  },
});
async function provenanceOf(handle: string) {
  const { observations } = await directory.observe(handle);
  return observations.find(({ kind }) => kind === 'package.provenance');
}

it('shows that the signed provenance names the recorded repository', async () => {
  expect(await provenanceOf('com.example/same')).toMatchObject({
    subject: 'npm:same',
    value: { result: 'match', repository: 'https://github.com/example/server' },
    outcome: 'seen',
    details: { version: '1.2.0', issuer: 'https://token.actions.githubusercontent.com' },
    source_url: `${registry.url}/-/npm/v1/attestations/same@1.2.0`,
  });
});

it('shows that it names another one', async () => {
  expect(await provenanceOf('com.example/other')).toMatchObject({
    value: { result: 'other', repository: 'https://github.com/somebody/else' },
  });
});

it('says that a version has none, and which older one has it', async () => {
  expect(await provenanceOf('com.example/dropped')).toMatchObject({
    value: { result: 'none' },
    outcome: 'seen',
    reason:
      'The registry serves no provenance for version `1.3.0`. The older version `1.2.0` has provenance.',
    details: { version: '1.3.0', earlier_with_provenance: '1.2.0' },
  });
  const client = await opened(connect('v2', directory));
  const { structuredContent } = await client.call('get_agent', { handle: 'com.example/dropped' });
  expect(structuredContent?.stands_out).toEqual([
    'Version `1.3.0` of `npm:same` has no provenance, and version `1.2.0` has.',
  ]);
});

it('does not compare where the listing records no repository', async () => {
  expect(await provenanceOf('com.example/unrecorded')).toMatchObject({
    value: { result: 'not_comparable', repository: 'https://github.com/example/server' },
  });
});

it('believes no provenance of another file', async () => {
  expect(await provenanceOf('com.example/swapped')).toMatchObject({
    value: null,
    outcome: 'nothing',
    reason: 'The signed provenance does not name the digest that the registry states for the file.',
  });
});

it('believes no signature under keys that it does not know', async () => {
  expect(await provenanceOf('com.example/forged')).toMatchObject({
    value: null,
    outcome: 'nothing',
    reason:
      'The signature did not verify with the Sigstore keys that this service has: the signature is wrong, or was made with newer keys.',
  });
});

it('reads the attestations of PyPI (PEP 740)', async () => {
  expect(await provenanceOf('com.example/pypi')).toMatchObject({
    subject: 'pypi:server',
    value: { result: 'match', repository: 'https://github.com/example/server' },
    details: { version: '0.9' },
  });
});

it('opens the shipped copy of the public keys, under which a signature of the tests is not valid', async () => {
  const check = await openBundleCheck('');
  const bundle = await sigstore.sign(statementOf('x', ofFile), 'example/server');
  expect(check(bundle)).toMatchObject({ result: 'unproven' });
  expect(check('nonsense')).toMatchObject({ result: 'unproven' });
});
