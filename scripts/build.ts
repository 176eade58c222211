import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Emits the package: JavaScript and types of src into dist, with the files that it reads beside them. */
rmSync('dist', { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
const others = readdirSync('src', { recursive: true, withFileTypes: true }).filter(
  (entry) => entry.isFile() && !entry.name.endsWith('.ts'),
);
for (const { parentPath, name } of others) {
  const path = join(parentPath, name);
  cpSync(path, path.replace(/^src/, 'dist'));
}
chmodSync('dist/main.js', 0o755);
