import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { NoDatabase, openStore } from '../../app/open.ts';
import { requireUsableSettings } from '../../app/usable-settings.ts';
import type { OptOut } from '../../claims/claim.ts';
import type { Config } from '../../config/config.ts';
import { toShownDatabase } from '../../config/settings.ts';
import { readAll } from '../../core/paging/pages.ts';
import { counted, day_ms, dayText, isWebAddress } from '../../core/text.ts';
import { isSample, sampleSource } from '../../listings/listing.ts';
import { type CheckpointFile, readCheckpointFile } from '../../log/checkpoint-file.ts';
import { isContained, logOfOrigin, logOrigin } from '../../log/checkpoints.ts';
import { readCheckpoint } from '../../log/notes.ts';
import { readPrivateEntries } from '../../selections/entries.ts';
import type { Store } from '../../store/store.ts';
import { listBackups } from '../backup/backup.ts';
import {
  ask,
  type DoctorFinding,
  type DoctorFindings,
  type DoctorSubject,
  fault,
  fine,
  warning,
} from './findings.ts';
import { checkWitnesses } from './witnesses.ts';

async function checkBackups({ config: { backupDir, backupInterval_s } }: DoctorSubject): DoctorFindings {
  if (!backupDir)
    return warning(
      'none are made by schedule',
      'set BACKUP_DIR, or run dossier backup by a schedule of your own',
    );
  const all = await listBackups(backupDir).catch(() => []);
  const now_ms = Date.now();
  const ahead = all
    .filter(({ madeAt_ms }) => madeAt_ms > now_ms)
    .map(({ file }) =>
      warning(`${file} has a date in the future`, 'a clock was wrong; delete the file, or rename it'),
    );
  const newest = all.find(({ madeAt_ms }) => madeAt_ms <= now_ms);
  if (!newest)
    return [...ahead, warning(`${backupDir} has none yet`, 'the service makes one when it starts')];
  const age_s = (now_ms - newest.madeAt_ms) / 1000;
  if (age_s <= 2 * backupInterval_s) return [...ahead, fine(`the newest is ${newest.file}`)];
  return [
    ...ahead,
    fault(`the newest is ${newest.file}, older than two intervals`, 'the log of the service says why'),
  ];
}

async function checkPrivate({ config: { privateListings, views }, store }: DoctorSubject): DoctorFindings {
  if (!privateListings) return fine('there are none (PRIVATE_LISTINGS is not set)');
  const { entries, faults } = await readPrivateEntries(privateListings);
  if (!entries) return fault(faults.join('; '), 'until it can be read, views with readers answer 503');
  const listed = (await store?.listings.byHandles([...entries.keys()])) ?? [];
  const approved = views.flatMap(({ name, approvals = [] }) =>
    approvals.flatMap(({ handle }) => (entries.has(handle) ? [`${handle} in ${name}`] : [])),
  );
  return [
    fine(`${counted(entries.size, 'file')} can be read`),
    ...faults.map((text) => warning(text, 'what cannot be read is in no view')),
    ...listed
      .filter((listing) => !isSample(listing))
      .map(({ handle }) =>
        warning(
          `a registry has, or had, a listing ${handle}`,
          'neither the listing nor the entry is in a view with readers: rename the entry',
        ),
      ),
    ...approved.map((text) =>
      fault(`${text} is approved in a view that everybody reads`, 'add readers, or take the approval out'),
    ),
  ];
}

const page = 100;
const mostNamed = 5;

async function checkClaims({ store }: DoctorSubject): DoctorFindings {
  const optOuts = await readAll<OptOut>(page, async (last) => store?.optOuts.page(last, page) ?? []);
  const contested = optOuts.filter(({ state }) => state === 'contested');
  if (contested.length === 0) return fine('there is no opt-out line of somebody who does not hold the claim');
  const named = contested
    .slice(0, mostNamed)
    .map(({ handle, place, seen_at }) => `${handle} (at ${place} since ${dayText(seen_at)})`);
  const more = contested.length > mostNamed ? `, and ${contested.length - mostNamed} more` : '';
  return warning(
    `there is an opt-out line of somebody who does not hold the claim: ${named.join(', ')}${more}`,
    'such a line has no effect; if it is justified, withdraw the listing with dossier moderate withdraw',
  );
}

/** A Date header has whole seconds, and an answer takes time. */
const tolerated_ms = 5000;

/** Ratings and checks are dated by this clock. */
async function checkClock({ config, store }: DoctorSubject): DoctorFindings {
  const { done } = (await store?.imports.last()) ?? {};
  const stored_ms = Date.parse(done?.finished_at ?? '');
  if (stored_ms > Date.now() + tolerated_ms)
    return fault(
      `the newest import is dated ${done?.finished_at}, which is in the future: this clock is behind, or was ahead`,
      'set the clock (NTP), then restart the service',
    );
  if (!isWebAddress(config.registryUrl))
    return fine('nothing to compare it with (REGISTRY_URL is no address)');
  const answer = await ask(`${config.registryUrl}/v0.1/servers?limit=1`);
  const { ahead_ms, unsure_ms = 0 } = typeof answer === 'string' ? {} : answer;
  if (ahead_ms === undefined) return warning('no other clock answered', 'see registry');
  if (Math.abs(ahead_ms) <= tolerated_ms + unsure_ms)
    return fine('agrees with the registry’s to a few seconds');
  const seconds = Math.round(Math.abs(ahead_ms) / 1000);
  return fault(
    `${seconds} s ${ahead_ms > 0 ? 'behind' : 'ahead of'} the registry’s`,
    'set it (NTP), then restart the service',
  );
}

async function checkDatabase({ store }: DoctorSubject): DoctorFindings {
  if (!store) return fine('there is none yet; dossier serve makes it');
  const damage = await store.findDamage().catch((error: Error) => error.message);
  if (damage)
    return fault(
      `it is damaged: ${damage}`,
      'copy what there is, then restore the newest backup into a new database',
    );
  const { claims, ratings } = await store.figures.counts();
  const counts = [
    counted(await store.listings.count(), 'listing'),
    counted(claims.claimed + claims.suspended, 'claim'),
    counted(ratings, 'rating'),
  ];
  return fine(counts.join(', '));
}

const low_bytes = 1_000_000_000;
const least_bytes = 100_000_000;
async function checkFolder([setting, folder]: [string, string]): Promise<DoctorFinding> {
  const path = resolve(folder);
  try {
    await access(path, constants.W_OK);
    const { bavail, bsize } = await statfs(path);
    const free_bytes = bavail * bsize;
    const text = `${path} (${setting}) has ${Math.round(free_bytes / 1e6).toLocaleString('en')} MB left`;
    if (free_bytes < least_bytes)
      return fault(text, 'make room: writes are about to be refused with storage_full');
    return free_bytes < low_bytes ? warning(text, 'make room, or move it to a larger disk') : fine(text);
  } catch (error) {
    return fault(
      `${path} (${setting}) cannot be written: ${(error as Error).message}`,
      'make the folder, and let the user of the service write to it',
    );
  }
}

async function checkDisk({ config }: DoctorSubject): DoctorFindings {
  const { databaseUrl, checkpointFile, backupDir } = config;
  const folders = Object.entries({
    DATABASE_URL: databaseUrl.startsWith('file:') ? dirname(databaseUrl.slice(5)) : '',
    CHECKPOINT_FILE: checkpointFile && dirname(checkpointFile),
    BACKUP_DIR: backupDir,
  }).filter(([, folder]) => folder !== '');
  return folders.length > 0
    ? Promise.all(folders.map(checkFolder))
    : [fine('nothing is written on this machine')];
}

const auditAge_ms = 2 * day_ms;

async function compareWithFile(store: Store, { texts, path, otherDatabase }: CheckpointFile) {
  if (otherDatabase !== undefined)
    return fault(
      `${path} is the checkpoint file of ${otherDatabase}, so a rolled back database would not be noticed`,
      'name another CHECKPOINT_FILE, or, if this database takes its place, move the other one away',
    );
  const checkpoint = readCheckpoint(texts[0] ?? '');
  if (!checkpoint)
    return warning(
      'the checkpoint file is unreadable, so a rolled back database would not be noticed',
      'compare /log/checkpoint with one stored elsewhere, then remove the file',
    );
  const head = (await store.log.heads()).find(({ id }) => id === logOfOrigin(checkpoint.origin));
  if (head?.closed_with !== undefined) return fine('the checkpoint file is of a log that was closed');
  if (await isContained(store.log, checkpoint))
    return fine(`continues the published checkpoint of ${checkpoint.size} entries`);
  const lacks = head
    ? `has ${head.size} entries and does not contain the published checkpoint of ${checkpoint.size}`
    : `does not have the log ${checkpoint.origin}, of which a checkpoint was published`;
  return fault(
    `the database ${lacks}: it is an older copy`,
    'restore the newest backup; if there is none, the next start closes this log and opens another',
  );
}

async function readAudit(store: Store): Promise<DoctorFinding> {
  const last = await store.audits.last();
  if (!last?.finished_at) return fine('not audited yet; the service does so when it starts');
  if (last.faults > 0)
    return fault(
      `the audit that finished ${last.finished_at} found ${counted(last.faults, 'fault')}`,
      'run dossier audit',
    );
  const text = `the audit of ${last.finished_at} found no difference from the ${counted(last.entries, 'entry')} of the log`;
  return Date.now() - Date.parse(last.finished_at) > auditAge_ms
    ? warning(text, 'no audit finished for two days: look at the log, or run dossier audit')
    : fine(text);
}

async function checkLog({ config, store }: DoctorSubject): DoctorFindings {
  if (!store) return fine('there is none yet');
  const file = await readCheckpointFile(config);
  const compared =
    file === undefined ? fine('no checkpoint was published yet') : await compareWithFile(store, file);
  return [compared, await readAudit(store)];
}

/** A proxy may lead to another service. */
async function compareLog(url: string, store: Store): Promise<DoctorFinding> {
  const [head] = (await store.log.heads()).toReversed();
  const origin = logOrigin(head?.id ?? 1, url);
  const answer = await ask(`https://${origin}/checkpoint`.replace('https:', new URL(url).protocol));
  if (typeof answer !== 'string' && answer.status === 200 && answer.text.startsWith(`${origin}\n`))
    return fine(`${url} leads to a service with this log’s name`);
  return fault(
    `${url} does not publish the log ${origin}`,
    'look where the proxy leads, and at PUBLIC_URL of that service',
  );
}

async function readHealth({ config: { publicUrl }, store }: DoctorSubject): Promise<DoctorFinding> {
  const answer = await ask(`${publicUrl}/healthz`);
  if (typeof answer === 'string')
    return warning(
      `${publicUrl} does not answer: ${answer}`,
      'start the service, or look at the proxy and at PUBLIC_URL',
    );
  if (answer.status !== 200 || answer.text !== 'ok\n')
    return fault(
      `${publicUrl}/healthz answers ${answer.status}, not as a Dossier`,
      'look where the proxy leads',
    );
  return store ? compareLog(publicUrl, store) : fine(`${publicUrl} answers`);
}

/** Links and challenges are made from it. */
async function checkPublicUrl(subject: DoctorSubject): DoctorFindings {
  const { publicUrl: url } = subject.config;
  const plain = url.startsWith('http:') && !/^(localhost|127\.|\[::1\])/.test(new URL(url).hostname);
  return [
    ...(plain
      ? [warning(`${url} is not encrypted`, 'put a proxy with TLS in front (docs/operations.md)')]
      : []),
    await readHealth(subject),
  ];
}

async function readImport({ store, config }: DoctorSubject): Promise<DoctorFinding> {
  const { run, done } = (await store?.imports.last()) ?? {};
  if (run?.state === 'held')
    return fault('the newest import is held, because it would change too much', 'see dossier import --help');
  if (run?.state === 'failed')
    return fault(
      `the newest import failed: ${run.error ?? 'the log of the service says why'}`,
      'look at the registry and at REGISTRY_URL; dossier import tries again',
    );
  const isSample = done?.source === sampleSource;
  if (isSample && isWebAddress(config.registryUrl))
    return warning(
      'only the sample was imported yet, no registry',
      'start the service, or run dossier import; the log of the service says why no registry was imported',
    );
  if (!done?.finished_at)
    return warning('nothing was imported yet', 'start the service, or run dossier import');
  const age_s = (Date.now() - Date.parse(done.finished_at)) / 1000;
  const text = `the last import${isSample ? ', of the sample,' : ''} ended ${done.finished_at}`;
  const isOld = isWebAddress(config.registryUrl) && age_s > 3 * config.importInterval_s;
  return isOld ? warning(text, 'the log of the service says why no import ended since') : fine(text);
}

async function readUpstream(registryUrl: string): Promise<DoctorFinding> {
  if (!isWebAddress(registryUrl)) return fine(`REGISTRY_URL is ${registryUrl}: no registry is asked`);
  const answer = await ask(`${registryUrl}/v0.1/servers?limit=1`);
  if (typeof answer !== 'string' && answer.status === 200) return fine(`${registryUrl} answers`);
  return fault(
    `${registryUrl} ${typeof answer === 'string' ? `cannot be reached: ${answer}` : `answers ${answer.status}`}`,
    'look at the network and at REGISTRY_URL; listings stay as they are until it answers',
  );
}

async function checkAdvisories({ config: { advisories } }: DoctorSubject): DoctorFindings {
  if (advisories === 'off')
    return warning('none are read (ADVISORIES=off)', 'no listing says that a package is malicious code');
  if (isWebAddress(advisories))
    return fine(`${advisories} is asked, and gets the names of packages that listings record`);
  const saved = await stat(advisories).catch(() => undefined);
  return saved?.isFile()
    ? fine(`${advisories} was saved on ${dayText(saved.mtime)}`)
    : fault(`${advisories} (ADVISORIES) cannot be read`, 'save a copy of OSV there, or name an address');
}

const checks = {
  clock: checkClock,
  disk: checkDisk,
  database: checkDatabase,
  log: checkLog,
  witnesses: checkWitnesses,
  claims: checkClaims,
  'private entries': checkPrivate,
  advisories: checkAdvisories,
  registry: async (subject: DoctorSubject): DoctorFindings => [
    await readUpstream(subject.config.registryUrl),
    await readImport(subject),
  ],
  PUBLIC_URL: checkPublicUrl,
  backups: checkBackups,
} as const;

const marks = { fine: 'ok     ', warning: 'warning', fault: 'FAULT  ' } as const;

const print = (name: string, { state, text, next }: DoctorFinding) =>
  process.stdout.write(`${marks[state]} ${name}: ${text}${next ? `\n        ${next}` : ''}\n`);

/** Ends with 1 for a fault. */
export async function runDoctor(config: Config): Promise<void> {
  await requireUsableSettings(config);
  const opened = await openStore(config).catch((error: Error) =>
    error instanceof NoDatabase
      ? undefined
      : fault(
          `${toShownDatabase(config.databaseUrl)} cannot be opened: ${error.message}`,
          'see docs/operations.md, “Updating” and “When something is down”',
        ),
  );
  const problem = opened && 'state' in opened ? opened : undefined;
  await using store = opened && 'state' in opened ? undefined : opened;
  const subject = { config, store };
  const found: DoctorFinding[] = [];
  const note = (name: string, finding: DoctorFinding) => {
    found.push(finding);
    print(name, finding);
  };
  print('settings', fine('serve would accept them'));
  if (problem) note('database', problem);
  for (const [name, check] of Object.entries(checks)) {
    if (problem && name === 'database') continue;
    const findings = await check(subject).catch((error: Error) =>
      fault(
        `this check could not end: ${error.message}`,
        'see database above; otherwise report this to the maintainers of Dossier',
      ),
    );
    for (const finding of [findings].flat()) note(name, finding);
  }
  if (found.some(({ state }) => state === 'fault')) process.exitCode = 1;
}
