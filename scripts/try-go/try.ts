import { spawnSync } from 'node:child_process';
import { toLeaf } from '../../src/log/leaf.ts';
import { type Directory, openDirectory } from '../../test/support/directory.ts';
import { openWitness } from '../../test/support/witnesses.ts';

const first = 37;
const all = 300;

const text = async ({ app }: Directory, path: string) => (await app.request(path)).text();

async function prove({ app }: Directory, log_index: number) {
  const answer = await app.request('/api/tools/get_proof', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ log_index }),
  });
  const { leaf, proof } = (await answer.json()) as { leaf: string; proof: string };
  return { leaf, proof };
}

const append = ({ store }: Directory, count: number) =>
  store.write(async (tx) => {
    for (let at = 0; at < count; at++) await tx.log.append(toLeaf('rating.submitted', { at }));
  });

/** What a reader of a log of 300 entries has saved; the newer checkpoint carries cosignatures. */
async function readLog(directory: Directory) {
  await append(directory, first);
  const older = await text(directory, '/log/checkpoint');
  await append(directory, all - first);
  directory.wait(2);
  const newer = await text(directory, '/log/checkpoint');
  const cosignatures = ([4, 6] as const).map((type) => openWitness('w.example', type, type).cosign(newer, 1));
  const indexes = Array.from({ length: all }, (_, at) => at);
  return {
    key: (await text(directory, '/log/key')).trim(),
    older,
    newer: newer + cosignatures.join(''),
    consistency: await text(directory, `/log/consistency/${first}/${all}`),
    proofs: await Promise.all(indexes.map((at) => prove(directory, at))),
  };
}

// Debian installs Go's libraries as a workspace of the time before modules.
const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' };
const directory = await openDirectory({ entries: [], environment: { LIMITS: 'off' } });
const input = JSON.stringify(await readLog(directory));
await directory.close();
const { status, error } = spawnSync('go', ['run', 'scripts/try-go/main.go'], {
  env,
  input,
  stdio: ['pipe', 'inherit', 'inherit'],
});
if (error)
  process.stderr.write('try:go needs Go and its x/mod: apt-get install golang-go golang-golang-x-mod-dev\n');
process.exitCode = status ?? 1;
