import { createPublicKey, hash, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, Verifier } from '@sigstore/verify';
import canonicalize from 'canonicalize';
import { expect, it } from 'vitest';
import { openLogKey } from '../../src/log/checkpoints.ts';
import { runDossier } from '../support/command.ts';
import { documentOf, openDirectory } from '../support/directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { openedDirectory, openedEndpoint, openFolder } from '../support/opened.ts';

interface Envelope {
  payloadType: string;
  payload: string;
  signatures: { keyid: string; sig: string }[];
}

const handle = 'com.example/seen';
const folder = openFolder();
const endpoint = await openedEndpoint((_body, _request, response) => void response.writeHead(404).end());
const remotes = [{ type: 'streamable-http', url: 'https://seen.example.com/mcp' }];
const directory = await openedDirectory({
  entries: [...seedEntries, registryEntry(handle, { remotes }), registryEntry('com.example/two.intoto')],
  environment: {
    PUBLIC_URL: 'https://dossier.example',
    HOST_OVERRIDES: JSON.stringify({ 'seen.example.com': endpoint.url }),
  },
});
await directory.observe(handle);

const read = (path: string) => directory.app.request(path);
const readEnvelope = async (of = handle) =>
  (await (await read(`/agents/${of}.intoto.json`)).json()) as Envelope;
const readKey = async () => (await (await read('/log/key')).text()).trim();
const toStatement = ({ payload }: Envelope): unknown =>
  JSON.parse(Buffer.from(payload, 'base64').toString('utf8'));
function save(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const verify = async (...args: string[]) => {
  const { code, stdout, stderr } = await runDossier(['verify', ...args], {});
  return { code, lines: stdout.split('\n').filter(Boolean), stderr };
};

it('states what is known of a listing, each fact with its date, about the document of that day', async () => {
  const document = await documentOf(directory, handle);
  const envelope = await readEnvelope();
  expect(envelope.payloadType).toBe('application/vnd.in-toto+json');
  const statement = toStatement(envelope) as { predicate: { observations: { observed_at: string }[] } };
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      {
        name: handle,
        uri: 'https://dossier.example/agents/com.example/seen.json',
        digest: { sha256: hash('sha256', canonicalize(document) ?? '') },
      },
    ],
    predicateType: 'https://dossier.example/about#evidence-v1',
    predicate: {
      stated_at: expect.stringMatching(/^2026-\d\d-\d\dT.*Z$/),
      origin: 'registry.modelcontextprotocol.io (MCP), saved copy',
      origin_note: document.origin_note,
      as_of: document.evidence_snapshot_date,
      snapshot: document.evidence_snapshot,
      claim: { state: 'imported' },
      log: { checkpoint: 'https://dossier.example/log/checkpoint' },
      untrusted_fields: ['observations'],
    },
  });
  const seen = document.observations as { observed_at?: string }[];
  expect(statement.predicate.observations).toEqual(
    seen.filter(({ observed_at }) => observed_at !== undefined),
  );
  expect(statement.predicate.observations.length).toBeGreaterThan(0);
});

/** Checks the envelope as Sigstore's own library does, with the key of the log alone. */
async function verifyWithSigstore({ payloadType, payload, signatures: [signature] }: Envelope) {
  const key = Buffer.from((await readKey()).split('+').slice(2).join('+'), 'base64').subarray(1);
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const bundle = bundleFromJSON({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: signature?.keyid ?? '' }, tlogEntries: [] },
    dsseEnvelope: { payloadType, payload, signatures: [{ keyid: '', sig: signature?.sig ?? '' }] },
  } as unknown as Parameters<typeof bundleFromJSON>[0]);
  const none = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
  const thresholds = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };
  const trusted = { ...none, publicKey: () => ({ publicKey, validFor: () => true }) };
  return new Verifier(trusted, thresholds).verify(toSignedEntity(bundle));
}

it('Sigstore’s library accepts the signature, and no other payload or type', async () => {
  const envelope = await readEnvelope();
  await expect(verifyWithSigstore(envelope)).resolves.toBeDefined();
  const { payload } = await readEnvelope('co.webhook/webhook');
  await expect(verifyWithSigstore({ ...envelope, payload })).rejects.toThrow('signature verification failed');
  await expect(verifyWithSigstore({ ...envelope, payloadType: 'text/plain' })).rejects.toThrow(
    'signature verification failed',
  );
});

it('dossier verify checks the signature, the listing and its document, offline', async () => {
  const key = await readKey();
  const document = await documentOf(directory, handle);
  const day = String(document.evidence_snapshot_date);
  const file = save('statement.json', await readEnvelope());
  const ofDocument = ['--document', save('listing.json', { ...document, being_checked: 'A check runs.' })];
  expect(await verify(file, '--key', key, '--handle', handle, ...ofDocument)).toEqual({
    code: 0,
    lines: [
      `holds  the statement about ${handle} is signed by this key`,
      `holds  the statement is about ${handle}`,
      'holds  the document is the one that the statement is about',
      `note   its facts are as of ${day}`,
    ],
    stderr: '',
  });
  const others = [
    ['--handle', 'co.webhook/webhook'],
    ['--document', save('other.json', await documentOf(directory, 'co.webhook/webhook'))],
  ];
  for (const other of others) expect((await verify(file, '--key', key, ...other)).code).toBe(1);
});

it('dossier verify refuses what was changed, what another key signed, and options that it does not check of a statement', async () => {
  const key = await readKey();
  const envelope = await readEnvelope();
  const payload = Buffer.from(
    Buffer.from(envelope.payload, 'base64').toString('utf8').replace('imported', 'claimed'),
  ).toString('base64');
  const unsigned = ['FAILS  the statement is not signed by this key'];
  expect(await verify(save('changed.json', { ...envelope, payload }), '--key', key)).toMatchObject({
    code: 1,
    lines: unsigned,
  });
  const other = await openDirectory();
  const otherKey = (await (await other.app.request('/log/key')).text()).trim();
  await other.close();
  const file = save('statement.json', envelope);
  expect(await verify(file, '--key', otherKey)).toMatchObject({ code: 1, lines: unsigned });
  expect(await verify(file)).toMatchObject({ code: 64, stderr: 'verify: a signed statement needs --key\n' });
  expect(await verify(file, '--key', key, '--policy', file)).toMatchObject({
    code: 64,
    stderr:
      'verify: --policy is not checked with a signed statement; nothing was checked. Check each in a separate run\n',
  });
  expect((await verify(file, '--key', key, '--document', save('none', 'none'))).code).toBe(74);
});

it('dossier verify takes no other text for a statement about evidence, though the same key signed it', async () => {
  const { payload, payloadType } = await readEnvelope();
  const key = await openLogKey(directory.context, 1);
  const signed = (type: string, text: string) => {
    const sealed = sign(
      null,
      Buffer.from(`DSSEv1 ${type.length} ${type} ${text.length} ${text}`),
      key.privateKey,
    );
    const body = Buffer.from(text).toString('base64');
    return { payloadType: type, payload: body, signatures: [{ sig: sealed.toString('base64') }] };
  };
  const text = Buffer.from(payload, 'base64')
    .toString('utf8')
    .replace(/[^ -~]/g, '?');
  const codes = [];
  for (const envelope of [
    signed(payloadType, text),
    signed('text/plain', text),
    signed(payloadType, text.replace('/Statement/v1', '/Statement/v2')),
    signed(payloadType, text.replace('#evidence-v1', '#evidence-v2')),
  ])
    codes.push((await verify(save('other.json', envelope), '--key', await readKey())).code);
  expect(codes).toEqual([0, 1, 1, 1]);
});

it('states what the operator did to a listing', async () => {
  const own = await openedDirectory();
  await own.act('hide', 'co.webhook/webhook', 'personal_data');
  const answer = await own.app.request('/agents/co.webhook/webhook.intoto.json');
  expect(toStatement((await answer.json()) as Envelope)).toMatchObject({
    predicate: { moderation: [{ action: 'hide', reason: 'personal_data' }] },
  });
});

it('states nothing about a made-up listing of the shipped sample', async () => {
  const fresh = await openedDirectory({ entries: [] });
  const { importSample } = await import('../../src/app/import-schedule.ts');
  await importSample(fresh.context, new AbortController().signal);
  const answer = await fresh.app.request('/agents/co.webhook/webhook.intoto.json');
  expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  const entry = await (await fresh.app.request('/ard/agents/urn:air:webhook.co:webhook')).json();
  expect(entry).toMatchObject({ 'dossier:sample': true });
  expect(entry).not.toHaveProperty('dossier:statement');
});

it('the name of a listing wins over the ending, and a listing that is gone has no statement', async () => {
  expect(await documentOf(directory, 'com.example/two.intoto')).toMatchObject({
    handle: 'com.example/two.intoto',
  });
  expect(toStatement(await readEnvelope('com.example/two.intoto'))).toMatchObject({
    subject: [{ name: 'com.example/two.intoto' }],
  });
  expect((await read('/agents/com.example/none.intoto.json')).status).toBe(404);
  const before = (await read('/agents/co.webhook/webhook.intoto.json')).status;
  await directory.act('withdraw', 'co.webhook/webhook', 'malicious');
  expect([before, (await read('/agents/co.webhook/webhook.intoto.json')).status]).toEqual([200, 410]);
});
