import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeContext } from './context.ts';

// Usage: npm run lab image [-- NAME]. Builds the container image with buildah, podman or docker, whichever
// there is.
const name = process.argv[2] ?? 'dossier';
const builders = [
  ['buildah', 'build', '--format', 'docker'],
  ['podman', 'build', '--format', 'docker'],
  ['docker', 'build'],
] as const;
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;
const builder = builders.find(([program]) => isThere(program));
if (!builder) {
  process.stderr.write('no buildah, podman or docker here; install one of them\n');
  process.exit(69);
}
const folder = mkdtempSync(join(tmpdir(), 'dossier-image-'));
try {
  makeContext(folder);
  const [program, ...args] = builder;
  const { status } = spawnSync(program, [...args, '-t', name, folder], { stdio: 'inherit' });
  process.exitCode = status ?? 70;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
