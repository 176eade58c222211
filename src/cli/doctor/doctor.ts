import { toShownDatabase } from '../../config/checks.ts';
import type { Config } from '../../config/config.ts';
import { requireKnownLimits } from '../../server.ts';
import { NoDatabase, openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { backups } from './backups.ts';
import { type Check, type Finding, fault, type Subject } from './check.ts';
import { claims } from './claims.ts';
import { clock } from './clock.ts';
import { database } from './database.ts';
import { disk } from './disk.ts';
import { log } from './log.ts';
import { publicUrl } from './public-url.ts';
import { registry } from './registry.ts';
import { witnesses } from './witnesses.ts';

/** In the order in which an operator would ask. */
const checks: readonly Check[] = [
  clock,
  disk,
  database,
  log,
  witnesses,
  claims,
  registry,
  publicUrl,
  backups,
];

const marks = { fine: 'ok     ', warning: 'warning', fault: 'FAULT  ' } as const;

const print = (name: string, { state, text, next }: Finding) =>
  process.stdout.write(`${marks[state]} ${name}: ${text}${next ? `\n        ${next}` : ''}\n`);

/** Opens the database as it is; a finding says why it cannot be opened, and nothing that there is none. */
const openAsItIs = (config: Config): Promise<Store | Finding | undefined> =>
  openStore(config, 'unchanged').catch((error: Error) =>
    error instanceof NoDatabase
      ? undefined
      : fault(
          `${toShownDatabase(config.databaseUrl)} cannot be opened: ${error.message}`,
          'see docs/operations.md, “When something is down”',
        ),
  );

/** What a check finds; a check that cannot end is a fault of its own, and the others are made all the same. */
async function lookGuarded(check: Check, subject: Subject): Promise<readonly Finding[]> {
  try {
    return await check.look(subject);
  } catch (error) {
    return [
      fault(
        `this check could not end: ${(error as Error).message}`,
        'see database above; otherwise report this to whoever maintains Dossier',
      ),
    ];
  }
}

/**
 * Looks at everything that an operator would, and prints a line for each finding, with what to do. Changes nothing.
 * Exit code 0: no fault, 1: a fault. Throws ExitError (78) for settings that `serve` refuses.
 */
export async function runDoctor(config: Config): Promise<void> {
  requireKnownLimits(config);
  const opened = await openAsItIs(config);
  const store = opened && 'state' in opened ? undefined : opened;
  const subject = { config, store, clock: () => new Date() };
  const found: Finding[] = [];
  const note = (name: string, finding: Finding) => {
    found.push(finding);
    print(name, finding);
  };
  print('settings', { state: 'fine', text: 'serve would accept them' });
  if (opened && 'state' in opened) note('database', opened);
  try {
    const asked = opened && 'state' in opened ? checks.filter((check) => check !== database) : checks;
    for (const check of asked)
      for (const finding of await lookGuarded(check, subject)) note(check.name, finding);
  } finally {
    await store?.close();
  }
  if (found.some(({ state }) => state === 'fault')) process.exitCode = 1;
}
