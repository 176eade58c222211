import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

// Usage: npm run lab try:image, as root, with buildah. Builds the image and runs it as a container runtime
// would: as no user of the machine, on a read-only root, with a folder for its data, and asks its own health
// check.
const image = 'dossier-tried';
const port = '39017';
const buildah = (...args: string[]) =>
  execFileSync('buildah', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

execFileSync('npm', ['run', '--silent', 'lab', 'image', '--', image], { stdio: 'inherit' });
const { OCIv1, Docker } = JSON.parse(buildah('inspect', '--type', 'image', image));
const { User, Env, Entrypoint, Cmd } = OCIv1.config;
const [uid = '', gid = ''] = User.split(':');
const container = buildah('from', image);
const mounted = buildah('mount', container);
const data = mkdtempSync(join(tmpdir(), 'dossier-data-'));
chownSync(data, Number(uid), Number(gid));

/** Runs a program of the image in a mount namespace of its own, where its root is read-only. */
const inImage = (program: readonly string[]): readonly string[] => {
  const script = [
    `mount --bind ${mounted} ${mounted}`,
    `mount --bind ${data} ${mounted}/data`,
    `mount --bind /proc ${mounted}/proc`,
    `mount --bind /dev ${mounted}/dev`,
    `mount -o remount,ro,bind ${mounted}`,
    `exec chroot --userspec=${uid}:${gid} ${mounted} "$@"`,
  ].join(' && ');
  return ['--mount', 'sh', '-c', script, 'sh', ...program];
};
const environment = Object.fromEntries((Env as string[]).map((line) => line.split(/=(.*)/s).slice(0, 2)));
const env = { ...environment, PORT: port, HOST: '127.0.0.1', REGISTRY_URL: 'off' };
const isWell = () =>
  spawnSync('unshare', inImage(Docker.config.Healthcheck.Test.slice(1)), { env }).status === 0;

let failed = 0;
function report(what: string, holds: boolean): void {
  if (!holds) failed += 1;
  process.stdout.write(`${holds ? 'holds' : 'FAILS'}  ${what}\n`);
}
const before = isWell();
const service = spawn('unshare', inImage([...Entrypoint, ...Cmd]), {
  env,
  stdio: ['ignore', 'ignore', 'inherit'],
});
try {
  for (let tries = 0; tries < 60 && !isWell(); tries++) await wait(500);
  report('the health check fails before the service runs, and passes while it runs', !before && isWell());
  const page = await fetch(`http://127.0.0.1:${port}/agents/co.webhook/webhook`);
  report('a listing is shown', page.status === 200);
  const card = await fetch(`http://127.0.0.1:${port}/agents/co.webhook/webhook/card.png`);
  report('a link card is drawn', card.status === 200 && card.headers.get('content-type') === 'image/png');
  const dump = await fetch(`http://127.0.0.1:${port}/export/manifest.json`);
  report('a dump is written', dump.status === 200);
  report('it runs as no user of the machine', uid === '65532');
} finally {
  service.kill('SIGTERM');
  await once(service, 'close');
  const [size] = execFileSync('du', ['-smx', mounted], { encoding: 'utf8' }).split('\t');
  process.stdout.write(`size: ${size} MB\n`);
  buildah('umount', container);
  buildah('rm', container);
  rmSync(data, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
