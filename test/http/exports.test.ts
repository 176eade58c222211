import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import canonicalize from 'canonicalize';
import { expect, it, vi } from 'vitest';
import { openNote, readVerifier } from '../../src/log/notes.ts';
import { onMeasured } from '../../src/telemetry/metrics.ts';
import { callTool, type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

/** Makes the file larger than what a stream reads ahead. */
const incompressible = () => ({
  _meta: {
    'io.modelcontextprotocol.registry/publisher-provided': { noise: randomBytes(900).toString('base64') },
  },
});

const directory = await openedDirectory({
  environment: { LIMITS: 'off' },
  entries: [
    ...seedEntries,
    registryEntry('com.example/gone', {}, { status: 'deleted' }),
    ...Array.from({ length: 300 }, (_, n) => registryEntry(`com.example.many/n${n}`, incompressible())),
  ],
});

interface Manifest {
  since: string;
  checkpoint: string;
  files: { path: string; bytes: number; sha256: string; rows: number }[];
  signature: string;
}
const read = (path: string) => directory.app.request(path);
const readManifest = async () => (await (await read('/export/manifest.json')).json()) as Manifest;
const rowsOf = (bytes: Buffer) =>
  gunzipSync(bytes)
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('exports every listing as recorded and as evidence, as the manifest says', async () => {
  const { files } = await readManifest();
  expect(files.map(({ path, sha256, rows }) => [path.replace(sha256.slice(0, 16), 'DIGEST'), rows])).toEqual([
    ['/export/listings-DIGEST.jsonl.gz', 302],
    ['/export/evidence-DIGEST.jsonl.gz', 302],
  ]);
  for (const { path, bytes, sha256, rows } of files) {
    const content = Buffer.from(await (await read(path)).arrayBuffer());
    expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256]);
    expect(rowsOf(content)).toHaveLength(rows);
  }
  const evidence = rowsOf(Buffer.from(await (await read(files[1]?.path ?? '')).arrayBuffer()));
  const page = await (await read('/agents/co.webhook/webhook.json')).json();
  expect(evidence.find(({ handle }) => handle === 'co.webhook/webhook')).toEqual(page);
});

it('the manifest is signed by the key of the log, and one changed member breaks it', async () => {
  const { signature, ...content } = await readManifest();
  const verifier = readVerifier(await (await read('/log/key')).text());
  if (!verifier) throw new Error('no key');
  const digest = (value: object) =>
    `${createHash('sha256')
      .update(canonicalize(value) ?? '')
      .digest('hex')}\n`;
  expect(openNote(signature, verifier)).toBe(digest(content));
  expect(openNote(signature, verifier)).not.toBe(digest({ ...content, since: '0_0' }));
});

it('goes on where the stream of changes does, and is written anew after an hour', async () => {
  const before = await readManifest();
  await directory.importEntries([registryEntry('com.example/new')]);
  expect(await readManifest()).toEqual(before);
  directory.wait(3601);
  expect(await readManifest(), 'the old one while the new one is written').toEqual(before);
  await expect.poll(async () => (await readManifest()).files[0]?.rows).toBe(303);
  const after = await readManifest();
  const missed = await (await read(`/changes?since=${before.since}`)).text();
  expect(JSON.parse(missed)).toMatchObject({ handle: 'com.example/new', id: after.since });
  expect(after.files[0]?.rows).toBe(303);
  for (const { path, sha256 } of [...before.files, ...after.files]) {
    const content = Buffer.from(await (await read(path)).arrayBuffer());
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
  }
});

/** The texts of both files that a manifest names, which a caller reads by following redirects. */
async function textsOf(ask: (path: string) => Promise<Response>, { files }: Manifest) {
  const texts: string[] = [];
  for (const { path } of files) {
    const answer = await ask(path);
    const sent = answer.status === 307 ? await ask(answer.headers.get('location') ?? '') : answer;
    expect(sent.status).toBe(200);
    texts.push(gunzipSync(Buffer.from(await sent.arrayBuffer())).toString('utf8'));
  }
  return texts.join('\n');
}

it('what was taken away is in no file that is sent, and no caller is refused because of it', async () => {
  const own = await openedDirectory({ entries: seedEntries, environment: { LIMITS: 'off' } });
  const ask = async (path: string) => own.app.request(path);
  const manifest = async () => (await (await ask('/export/manifest.json')).json()) as Manifest;
  const ofWebhook = 'Receive, inspect, replay and deliver';
  const ofApi = 'Compliant political SMS/MMS';
  const first = await manifest();
  expect(await textsOf(ask, first)).toMatch(new RegExp(`${ofWebhook}[^]*${ofApi}`));
  await hideText(own, 'co.webhook/webhook');
  const redirected = await ask(first.files[1]?.path ?? '');
  expect(redirected.status).toBe(307);
  expect(redirected.headers.get('cache-control')).toBe('no-store');
  const second = await manifest();
  expect(redirected.headers.get('location')).toBe(second.files[1]?.path);
  for (const held of [first, second]) {
    expect(await textsOf(ask, held)).toContain(ofApi);
    expect(await textsOf(ask, held)).not.toContain(ofWebhook);
  }
  await hideText(own, 'com.politicalcomms/api');
  const third = await manifest();
  expect(third.files.map(({ rows }) => rows)).toEqual([2, 2]);
  for (const held of [first, second, third]) expect(await textsOf(ask, held)).not.toContain(ofApi);
  for (const { path, bytes, sha256, rows } of third.files) {
    const content = Buffer.from(await (await ask(path)).arrayBuffer());
    expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256]);
    expect(rowsOf(content)).toHaveLength(rows);
  }
});

it('is replaced page by page: what was withdrawn is left out, and pages without it are as old as the dump', async () => {
  const entries = Array.from({ length: 250 }, (_, n) => registryEntry(`com.example/n${n}`));
  const own = await openedDirectory({ entries, environment: { LIMITS: 'off' } });
  const ask = async (path: string) => own.app.request(path);
  const manifest = async () => (await (await ask('/export/manifest.json')).json()) as Manifest;
  const first = await manifest();
  const evidence = await ask(first.files[1]?.path ?? '');
  const handles = rowsOf(Buffer.from(await evidence.arrayBuffer())).map(({ handle }) => String(handle));
  const [gone = '', beside = '', elsewhere = ''] = [handles[0], handles[1], handles[240]];
  const changed = { version: '1.1.0', description: 'Says something else now' };
  const later = { publishedAt: '2026-11-01T08:00:00Z', updatedAt: '2026-11-01T08:00:00Z' };
  await own.importEntries([
    registryEntry(beside, changed, later),
    registryEntry(gone, {}, { ...later, status: 'deleted' }),
    registryEntry(elsewhere, changed, later),
  ]);
  const { files, ...second } = await manifest();
  expect(files.map(({ rows }) => rows)).toEqual([249, 249]);
  expect(second).toMatchObject({ since: first.since, rewritten_at: expect.any(String) as string });
  const texts = await textsOf(ask, { ...second, files });
  const changedLines = texts.split('\n').filter((line) => line.includes(changed.description));
  expect(changedLines.filter((line) => line.includes(`"${beside}"`))).toHaveLength(2);
  expect(changedLines).toHaveLength(2);
  expect(texts).not.toContain(`"${gone}"`);
  expect(await manifest()).toEqual({ ...second, files });
});

/** A directory whose dump takes a while, and what waits until the next one is being written. */
async function openLarge() {
  const own = await openDirectory({
    environment: { LIMITS: 'off' },
    entries: Array.from({ length: 1000 }, (_, n) => registryEntry(`com.example/n${n}`)),
  });
  const folder = mkdtempSync(join(tmpdir(), 'dossier-'));
  vi.stubEnv('TMPDIR', folder);
  const begun = new Set<string>();
  return {
    own,
    async untilBegun() {
      const isNext = () =>
        readdirSync(folder, { recursive: true }).some(
          (name) => `${name}`.endsWith('/listings') && begun.size < begun.add(`${name}`).size,
        );
      await expect.poll(isNext, { interval: 1 }).toBe(true);
    },
    /** The folders of dumps that are there. */
    left: () => readdirSync(folder).filter((name) => name.startsWith('dossier-dump-')),
    async close() {
      vi.unstubAllEnvs();
      await own.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const hideText = ({ act }: Directory, handle: string) => act('hide', handle, 'personal_data');

it('has nothing that was written after its position', async () => {
  const { own, untilBegun, close } = await openLarge();
  const reading = own.app.request('/export/manifest.json');
  await untilBegun();
  await own.importEntries([registryEntry('com.example/later')]);
  const { since, files } = (await (await reading).json()) as Manifest;
  const missed = await (await own.app.request(`/changes?since=${since}`)).text();
  expect(JSON.parse(missed)).toMatchObject({ handle: 'com.example/later' });
  expect(files.map(({ rows }) => rows)).toEqual([1000, 1000]);
  await close();
});

it('a manifest names only files that are sent, though something is taken away while they are written, again and again', async () => {
  const { own, untilBegun, close } = await openLarge();
  const ask = async (path: string) => own.app.request(path);
  const reading = ask('/export/manifest.json');
  await untilBegun();
  await hideText(own, 'com.example/n1');
  let manifest = (await (await reading).json()) as Manifest;
  for (const { path } of manifest.files) expect((await ask(path)).status).toBe(200);
  for (let n = 2; n < 6; n += 1) {
    await hideText(own, `com.example/n${n}`);
    const again = ask('/export/manifest.json');
    await untilBegun();
    await hideText(own, `com.example/n${n}0`);
    const answer = await again;
    expect(answer.status).toBe(200);
    manifest = (await answer.json()) as Manifest;
    const texts = await textsOf(ask, manifest);
    const lines = texts.split('\n').filter((line) => new RegExp(`"com.example/n(1|[2-${n}]0?)"`).test(line));
    expect(lines).toHaveLength(2 * (1 + 2 * (n - 1)));
    expect(lines.join('\n')).not.toContain('A plain description');
  }
  await close();
});

it('a node that stops does not wait for a dump to be written, and leaves nothing of it', async () => {
  const { own, untilBegun, left, close } = await openLarge();
  const reading = own.app.request('/export/manifest.json');
  await untilBegun();
  expect(left()).toHaveLength(1);
  await own.app.close();
  expect((await reading).status).toBe(503);
  expect(left()).toEqual([]);
  await close();
});

it('has no other file', async () => {
  expect((await read('/export/..%2Fsecret')).status).toBe(404);
  expect((await read('/export/other.gz')).status).toBe(404);
});

it('HEAD says how long a file is and leaves none open', async () => {
  const path = (await readManifest()).files[0]?.path ?? '';
  const full = await read(path);
  const { byteLength } = await full.arrayBuffer();
  expect(byteLength).toBeGreaterThan(200_000);
  const opened = readdirSync('/dev/fd').length;
  for (let n = 0; n < 40; n += 1) {
    const { status, headers } = await directory.app.request(path, { method: 'HEAD' });
    expect([status, headers.get('content-length')]).toEqual([200, String(byteLength)]);
  }
  await (await read(path)).arrayBuffer();
  expect(readdirSync('/dev/fd').length).toBeLessThan(opened + 20);
});

it('leaves the cached facts of listings as they were, and adds none', async () => {
  const lookups: boolean[] = [];
  const stop = onMeasured(({ labels: { memory, result } }) => {
    if (memory === 'facts') lookups.push(result === 'hit');
  });
  const readAgent = (handle: string) => callTool(directory, 'get_agent', { handle });
  const read = 'com.example.many/n1';
  const unread = 'com.example.many/n2';
  try {
    directory.wait(3601);
    await readAgent(read);
    lookups.length = 0;
    const { files } = await readManifest();
    expect(files[1]?.rows).toBe(303);
    expect(lookups).toEqual([]);
    await readAgent(read);
    await readAgent(unread);
    await readAgent(unread);
    expect(lookups).toEqual([true, false, true]);
  } finally {
    stop();
  }
});

it('removes the dumps that killed processes left more than a day ago', async () => {
  const [old, fresh] = ['old', 'fresh'].map((name) => mkdtempSync(join(tmpdir(), `dossier-dump-${name}`)));
  if (!old || !fresh) throw new Error('no folders');
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
  utimesSync(old, twoDaysAgo, twoDaysAgo);
  const own = await openedDirectory();
  expect((await own.app.request('/export/manifest.json')).status).toBe(200);
  expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
  rmSync(fresh, { recursive: true });
});
