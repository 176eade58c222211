import { Counter, Gauge, type Registry } from 'prom-client';
import { backupsMade } from './events.ts';

/** Shows when the newest backup of BACKUP_DIR was made, and counts those that failed. Returns a function that stops it. */
export function measureBackups(registers: Registry[]): () => void {
  const lastAt = new Gauge({
    name: 'dossier_backup_last_success_timestamp_seconds',
    help: 'When the newest backup in BACKUP_DIR was made',
    registers,
  });
  const failures = new Counter({
    name: 'dossier_backup_failures_total',
    help: 'Backups into BACKUP_DIR that failed',
    registers,
  });
  return backupsMade.subscribe((event) => {
    if ('failed' in event) failures.inc();
    else lastAt.set(event.lastAt_ms / 1000);
  });
}
