import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate with its key, PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of a test. */
export interface TestCa {
  readonly cert: string;
  /** A certificate for a name, valid for so many days from now; a negative number for one that has expired. */
  issue(name: string, days: number): Certificate;
  /** A certificate that nobody vouches for. */
  selfSigned(name: string): Certificate;
  close(): void;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes a certificate authority with openssl; close it after use. */
export function createTestCa(): TestCa {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-ca-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const read = (name: string): Certificate => ({
    cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
  });
  const sign = (name: string, subject: string, ...more: string[]) =>
    openssl(
      ...['req', '-x509', ...newKey, '-days', '30', '-subj', subject],
      ...['-keyout', `${name}.key`, '-out', `${name}.pem`, ...more],
    );
  sign('ca', '/O=Test Authority/CN=Test Authority');
  return {
    cert: read('ca').cert,
    issue(name, days) {
      openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
      writeFileSync(join(folder, 'extensions'), `subjectAltName=DNS:${name}`);
      openssl(
        ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
        ...['-days', String(days), '-extfile', 'extensions', '-out', `${name}.pem`],
      );
      return read(name);
    },
    selfSigned(name) {
      sign(name, `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`);
      return read(name);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
