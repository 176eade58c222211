import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../config/exit.ts';
import { counted } from '../../evidence/text/plural.ts';
import { nameHidden } from '../../evidence/text/sanitize.ts';
import { openStore } from '../../store/open.ts';
import { type AuditProgress, type AuditResult, audit } from '../../transparency-log/audit/audit.ts';
import type { KnownRoot } from '../../transparency-log/audit/check-tree.ts';
import type { EvidenceReader } from '../../transparency-log/audit/evidence-reader.ts';
import type { AuditFault } from '../../transparency-log/audit/fault.ts';
import { createServedEvidence } from '../../transparency-log/audit/served-evidence.ts';
import { ServiceUnreadable } from '../../transparency-log/audit/service-client.ts';
import { createStoredEvidence } from '../../transparency-log/audit/stored-evidence.ts';
import { startBar } from '../progress.ts';
import { type AuditOptions, readAuditKey, readKept } from './audit-options.ts';

/** Runs an audit with a bar on a terminal; faults are printed as they are found, or all at the end as JSON. */
async function report(
  reader: EvidenceReader,
  kept: readonly (KnownRoot | AuditFault)[],
  { json = false }: AuditOptions,
): Promise<AuditResult> {
  const faults: AuditFault[] = [];
  const bar = startBar('{part} [{bar}] {value} of {total}', 0, { part: 'listings' });
  const onFault = (fault: AuditFault) => {
    if (json) faults.push(fault);
    else process.stdout.write(`FAULT  ${nameHidden(`${fault.where}: ${fault.message}. ${fault.next}`)}\n`);
  };
  const onProgress = ({ part, done, total = done }: AuditProgress) => {
    bar.setTotal(total);
    bar.update(done, { part });
  };
  try {
    const result = await audit(reader, kept, { onFault, onProgress });
    if (!json)
      for (const sentence of result.not_checked)
        process.stdout.write(`NOT CHECKED  ${nameHidden(sentence)}\n`);
    if (json)
      process.stdout.write(`${JSON.stringify({ ...result, holds: faults.length === 0, faults }, null, 2)}\n`);
    return result;
  } finally {
    bar.stop();
  }
}

async function auditDatabase(config: Config, name: string | undefined, options: AuditOptions) {
  const databaseUrl = name === undefined || /^[a-z]+:/i.test(name) ? name : `file:${name}`;
  const place = databaseUrl === undefined ? config : { databaseUrl, databaseReadUrl: '', checkpointFile: '' };
  const kept = await readKept(options, await readAuditKey(options.key));
  const store = await openStore(place, 'unchanged');
  try {
    return await report(
      createStoredEvidence({ store, config: place, clock: () => new Date() }),
      kept,
      options,
    );
  } finally {
    await store.close();
  }
}

async function auditService(url: string, options: AuditOptions) {
  const reader = createServedEvidence(url);
  try {
    const [own, key] = [(await reader.logs()).at(-1)?.key, await readAuditKey(options.key)];
    const logs = async () => (await reader.logs()).map((log) => (key ? { ...log, key } : log));
    return await report({ ...reader, logs }, await readKept(options, key ?? own), options);
  } catch (error) {
    if (error instanceof ServiceUnreadable)
      throw new ExitError(exitCodes.upstreamUnavailable, `audit: ${error.message}`);
    throw error;
  }
}

/**
 * Holds what a database stores, or what a service shows over HTTP, against its transparency log. Prints one line a fault, and one for
 * each thing that could not be checked;
 * ends with 1 if there is one, with 2 if the log is empty.
 */
export async function runAudit(
  config: Config,
  name: string | undefined,
  options: AuditOptions,
): Promise<void> {
  const isService = name !== undefined && /^https?:/i.test(name);
  const { entries, listings, faults } = await (isService
    ? auditService(name, options)
    : auditDatabase(config, name, options));
  if (!options.json)
    process.stdout.write(
      `${entries} log ${entries === 1 ? 'entry' : 'entries'} and ${counted(listings, 'listing')} compared; ${counted(faults, 'fault')}\n`,
    );
  if (faults > 0) throw new ExitError(1, 'audit: what is shown differs from the log');
  if (entries === 0) throw new ExitError(2, 'audit: the log is empty, so there is nothing to compare');
}
