import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBackups, writeBackupFile } from '../../src/cli/backup/backup.ts';
import { onMeasured } from '../../src/telemetry/metrics.ts';
import { readAllRows } from '../support/all-rows.ts';
import { type Ended, runDossier, startDossier } from '../support/command.ts';
import { openedDirectory, openFolder } from '../support/opened.ts';

const root = openFolder();
const directory = await openedDirectory({
  environment: { DATABASE_URL: `file:${join(root, 'a.db')}`, METRICS_PORT: '0' },
});

/** The files of a folder that had these, after the schedule ran at a time until nothing was due. */
async function runSchedule(files: readonly string[], at: string, keep = 3): Promise<readonly string[]> {
  const backupDir = mkdtempSync(join(root, 'backups-'));
  for (const name of files) writeFileSync(join(backupDir, name), 'older');
  const config = { ...directory.context.config, backupDir, backupInterval_s: 86_400, backupKeep: keep };
  const stopping = new AbortController();
  const stop = onMeasured(({ name, value = 0 }) => {
    const isMade = name === 'dossier_backup_last_success_timestamp_seconds';
    if (isMade && value * 1000 > Date.parse(at) - 86_400_000) stopping.abort();
  });
  await startBackups({ ...directory.context, config, clock: () => new Date(at) }, stopping.signal);
  stop();
  return readdirSync(backupDir).sort();
}

describe('BACKUP_DIR', () => {
  it('gets a backup at once, named by the time, for its owner only', async () => {
    expect(await runSchedule([], '2026-11-22T12:00:00Z')).toEqual(['dossier-2026-11-22T12-00-00Z.gz']);
    const [folder = ''] = readdirSync(root).filter((name) => name.startsWith('backups-'));
    const file = join(root, folder, 'dossier-2026-11-22T12-00-00Z.gz');
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  });
  it('gets none while the newest is younger than the interval, also after a restart', async () => {
    expect(await runSchedule(['dossier-2026-11-21T12-00-01Z.gz'], '2026-11-22T12:00:00Z')).toEqual([
      'dossier-2026-11-21T12-00-01Z.gz',
    ]);
  });
  it('keeps the newest, deletes what a killed one left, and leaves files of others alone', async () => {
    const files = [
      'dossier-2026-11-18T12-00-00Z.gz',
      'dossier-2026-11-19T12-00-00Z.gz',
      'dossier-2026-11-20T12-00-00Z.gz',
      'dossier-2026-11-20T13-00-00Z.gz.4711.partial',
      'dossier-2025.gz',
      'notes.txt',
    ];
    expect(await runSchedule(files, '2026-11-22T12:00:00Z', 2)).toEqual([
      'dossier-2025.gz',
      'dossier-2026-11-20T12-00-00Z.gz',
      'dossier-2026-11-22T12-00-00Z.gz',
      'notes.txt',
    ]);
  });
  it('does not wait for a date in the future that a wrong clock made', async () => {
    for (const keep of [1, 3])
      expect(await runSchedule(['dossier-2027-01-01T00-00-00Z.gz'], '2026-11-22T12:00:00Z', keep)).toEqual([
        'dossier-2026-11-22T12-00-00Z.gz',
        'dossier-2027-01-01T00-00-00Z.gz',
      ]);
  });
  it('is made beside what a killed one of the same process id left, as in a container', async () => {
    const file = join(root, 'again.gz');
    writeFileSync(`${file}.${process.pid}.partial`, 'killed');
    await writeBackupFile(directory.store, file, {
      version: '0.0.0-test',
      signal: new AbortController().signal,
    });
    expect(readdirSync(root)).toContain('again.gz');
  });
  it('shows in the metrics when the newest was made, and that one failed', async () => {
    const metrics = await directory.startMetrics();
    const read = async () => (await (await fetch(metrics.url)).text()).match(/^dossier_backup_\w+ .+$/gm);
    await runSchedule([], '2026-11-22T12:00:00Z');
    expect(await read()).toEqual([
      'dossier_backup_failures_total 0',
      'dossier_backup_last_success_timestamp_seconds 1795348800',
    ]);
    const stopping = new AbortController();
    const config = { ...directory.context.config, backupDir: join(root, 'missing') };
    const failing = startBackups({ ...directory.context, config }, stopping.signal);
    await expect.poll(async () => (await read())?.[0]).toBe('dossier_backup_failures_total 1');
    stopping.abort();
    await failing;
    await metrics.stop();
  });
});

describe('dossier serve with BACKUP_DIR', () => {
  const settings = (more: Record<string, string>) => ({
    PORT: '0',
    REGISTRY_URL: 'off',
    LOG_LEVEL: 'error',
    DATABASE_URL: `file:${join(root, 'served.db')}`,
    ...more,
  });
  it('backs up what it serves; the backup restores to the same rows, and the audit of them holds', async () => {
    const folder = join(root, 'made/by/serve');
    const service = startDossier(['serve'], settings({ BACKUP_DIR: folder }));
    await service.line(/^listening on (.+)$/m);
    await expect.poll(() => readdirSync(folder).filter((name) => name.endsWith('.gz'))).toHaveLength(1);
    service.child.kill('SIGTERM');
    expect((await service.ended).code).toBe(0);
    const [name = ''] = readdirSync(folder);
    const restored = { DATABASE_URL: `file:${join(root, 'restored.db')}` };
    const run = (args: string[]): Promise<Ended> => runDossier(args, settings(restored));
    expect((await run(['restore', join(folder, name)])).code).toBe(0);
    expect((await run(['audit'])).stderr).toContain('the log is empty');
    const before = await readAllRows(`file:${join(root, 'served.db')}`);
    const after = await readAllRows(restored.DATABASE_URL);
    expect(after.listing).toEqual(before.listing);
  });
  it('refuses to start where it cannot be a folder', async () => {
    writeFileSync(join(root, 'a-file'), '');
    const { code, stderr } = await runDossier(['serve'], settings({ BACKUP_DIR: join(root, 'a-file') }));
    expect([code, stderr]).toEqual([78, expect.stringMatching(/^BACKUP_DIR: EEXIST: /)]);
  });
});
