import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

// Usage: npm run lab bundle [-- FILE]. Packs dossier.mcpb for Claude Desktop with the packer of npm.
const file = resolve(process.argv[2] ?? 'dossier.mcpb');
const folder = mkdtempSync(join(tmpdir(), 'dossier-bundle-'));
try {
  const content = join(folder, 'content');
  mkdirSync(content);
  cpSync('scripts/ways-in/bundle/manifest.json', join(content, 'manifest.json'));
  await using bundle = await rolldown({ input: 'scripts/ways-in/bundle/bridge.ts', platform: 'node' });
  await bundle.write({
    dir: join(content, 'server'),
    entryFileNames: '[name].mjs',
    codeSplitting: false,
    minify: true,
  });
  const npx = ['--yes', '--package', '@anthropic-ai/mcpb@2.1.2', 'mcpb'];
  execFileSync('npx', [...npx, 'pack', content, file], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
