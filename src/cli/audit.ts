import { openOwnEvidence } from '../app/own-evidence.ts';
import { toContext } from '../app/server.ts';
import { audit, type KnownRoot, readKnownRoot } from '../audit/audit.ts';
import type { AuditFault } from '../audit/fault.ts';
import { createServedEvidence, type EvidenceReader } from '../audit/served.ts';
import { createServiceClient, ServiceUnreadable } from '../audit/service.ts';
import type { Config } from '../config/config.ts';
import { ExitError, exitCodes, usageError } from '../core/process.ts';
import { counted, isWebAddress, nameHidden } from '../core/text.ts';
import { type NoteVerifier, readVerifier } from '../log/notes.ts';
import { createBar, print, withStore } from './shell.ts';
import { readKey, readSaved } from './verify.ts';

export interface AuditOptions {
  readonly json?: boolean;
  readonly key?: string;
  readonly checkpoint?: readonly string[];
  /** `<size>:<root in base64>` of the first log, or `<log>:<size>:<root in base64>`. */
  readonly root?: readonly string[];
}

export async function readAuditKey(key: string | undefined): Promise<NoteVerifier | undefined> {
  if (key === undefined) return undefined;
  const verifier = readVerifier((await readKey(key)) ?? '');
  if (!verifier) throw usageError('--key: not a key as /log/key shows it');
  return verifier;
}

function readRoot(text: string): KnownRoot {
  const [, log = '1', size, root] = /^(?:([1-9]\d{0,5}):)?(\d{1,15}):([A-Za-z0-9+/]{43}=)$/.exec(text) ?? [];
  if (!size || !root)
    throw usageError(
      '--root: <size>:<root>, the second and third line of a checkpoint of /log; for /log/2, 2:<size>:<root>',
    );
  return {
    where: `root given for ${size} entries${log === '1' ? '' : ` of log ${log}`}`,
    log: Number(log),
    size: Number(size),
    root: Buffer.from(root, 'base64'),
  };
}

/** A malformed or unsigned checkpoint is a fault. */
export async function readKnownRoots(
  { checkpoint = [], root = [] }: AuditOptions,
  key: NoteVerifier | undefined,
) {
  const checkpoints = checkpoint.map(async (path) =>
    readKnownRoot(await readSaved(path), { where: `saved checkpoint ${path}`, key }),
  );
  return [...(await Promise.all(checkpoints)), ...root.map(readRoot)];
}

async function report(
  reader: EvidenceReader,
  saved: readonly (KnownRoot | AuditFault)[],
  { json = false }: AuditOptions,
) {
  const faults: AuditFault[] = [];
  using bar = createBar('{part} [{bar}] {value} of {total}');
  const onFault = (fault: AuditFault) => {
    if (json) faults.push(fault);
    else process.stdout.write(`FAULT  ${nameHidden(`${fault.where}: ${fault.message}. ${fault.next}`)}\n`);
  };
  const result = await audit(reader, saved, {
    onFault,
    onProgress: ({ part, done, total = done }) => bar.show(done, total, { part }),
  });
  if (!json) for (const sentence of result.not_checked) print(`NOT CHECKED  ${nameHidden(sentence)}`);
  if (json) print(JSON.stringify({ ...result, holds: faults.length === 0, faults }, null, 2));
  return result;
}

async function auditDatabase(config: Config, name: string | undefined, options: AuditOptions) {
  const databaseUrl = name === undefined || /^[a-z]+:/i.test(name) ? name : `file:${name}`;
  const place = databaseUrl === undefined ? config : { databaseUrl, databaseReadUrl: '', checkpointFile: '' };
  const saved = await readKnownRoots(options, await readAuditKey(options.key));
  return withStore(place, async (store) => {
    await using reader = await openOwnEvidence(await toContext({ ...config, ...place }, store));
    return await report(reader, saved, options);
  });
}

async function auditService(url: string, options: AuditOptions) {
  const reader = createServedEvidence(createServiceClient(url));
  try {
    const own = (await reader.logs()).at(-1)?.key;
    const key = await readAuditKey(options.key);
    const logs = async () => (await reader.logs()).map((log) => (key ? { ...log, key } : log));
    return await report({ ...reader, logs }, await readKnownRoots(options, key ?? own), options);
  } catch (error) {
    if (error instanceof ServiceUnreadable)
      throw new ExitError(exitCodes.upstreamUnavailable, `audit: ${error.message}`);
    throw error;
  }
}

/** Ends with 1 for a fault, and otherwise with 2 for an empty log. */
export async function runAudit(config: Config, name: string | undefined, options: AuditOptions) {
  const isService = name !== undefined && isWebAddress(name);
  const { entries, listings, faults } = await (isService
    ? auditService(name, options)
    : auditDatabase(config, name, options));
  if (!options.json)
    print(
      `The log has ${counted(entries, 'entry')}; ${counted(listings, 'listing')} compared; ${counted(faults, 'fault')}`,
    );
  if (faults > 0) throw new ExitError(1, 'audit: faults were found');
  if (entries === 0) throw new ExitError(2, 'audit: the log is empty, so there is nothing to compare');
}
