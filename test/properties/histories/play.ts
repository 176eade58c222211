import fc from 'fast-check';
import { audit, readKnownRoot } from '../../../src/audit/audit.ts';
import { createServedEvidence } from '../../../src/audit/served.ts';
import { createServiceClient } from '../../../src/audit/service.ts';
import { postgresUrl } from '../../support/database.ts';
import { seedOf } from '../../support/long.ts';
import { findBroken } from './properties.ts';
import { run } from './run.ts';
import { type StandingFigures, watchStanding } from './standing.ts';
import { histories, type Step, type Weights } from './steps.ts';
import { openWorld, type World } from './world.ts';

/** Which histories are played, and how many. */
export interface Played {
  /** On SQLite; a twentieth of them on PostgreSQL. */
  readonly count: number;
  /** What `npm test` plays; `npm run lab test:long` takes another one each time, and prints it. */
  readonly seed: number;
  readonly weights?: Weights;
  /** How many seconds the clock of the second node is ahead of the first. */
  readonly apart_s?: readonly number[];
  /** Whether a stranger audits the service over HTTP in the course of each history. */
  readonly isAudited?: boolean;
}

interface Figures extends StandingFigures {
  histories: number;
  steps: number;
  /** Backups that were restored. */
  restored: number;
  audits: number;
  accusations: number;
}

const firstClaims: readonly Extract<Step, { does: 'claim' }>['at'][] = [
  { name: 'alice', method: 'repository' },
  { name: 'bob', method: 'repository' },
  { name: 'below', method: 'dns' },
  { name: 'dora', method: 'well_known' },
  { name: 'eve', method: 'profile_repository' },
];
/** After these days a source is not new any more. */
const daysBefore = 8;

async function begin(world: World): Promise<void> {
  for (const at of firstClaims)
    await run(world, { does: 'claim', at, node: 0, presents: false, keeps: false });
  await run(world, { does: 'wait', days: daysBefore });
}

/** What an audit over HTTP says against the service, with the checkpoints that the auditor has kept. */
async function auditServed(world: World, figures: Figures): Promise<string[]> {
  const { url } = world.service.nodes[figures.audits % 2 === 0 ? 0 : 1];
  const found: string[] = [];
  const known = world.kept.map((text, at) =>
    readKnownRoot(text, { where: `checkpoint ${at} that was kept` }),
  );
  await audit(createServedEvidence(createServiceClient(url)), known, {
    onFault: ({ where, message }) => void found.push(`audit over HTTP: ${where}: ${message}`),
  });
  figures.audits += 1;
  figures.accusations += found.length;
  return found;
}

/** An audit over HTTP costs more than a step. */
const stepsBetweenAudits = 10;

async function play(steps: readonly Step[], [apart_s, isAudited]: [number, boolean], figures: Figures) {
  const world = await openWorld(apart_s);
  try {
    await begin(world);
    const standing = await watchStanding(world, figures);
    for (const [at, step] of steps.entries()) {
      await run(world, step);
      const found = [...(await standing.findBroken(step)), ...(await findBroken(world, at))];
      const isLast = at === steps.length - 1;
      if (isAudited && (isLast || at % stepsBetweenAudits === stepsBetweenAudits - 1))
        found.push(...(await auditServed(world, figures)));
      if (found.length > 0) throw new Error(found.join('\n'));
      figures.steps += 1;
    }
    figures.histories += 1;
    figures.restored += world.service.restored;
  } catch (error) {
    throw new Error(`${(error as Error).stack}\nafter\n${world.told.join('\n')}`);
  } finally {
    await world.close();
  }
}

const { HISTORIES_PATH, HISTORIES_COUNT } = process.env;
/** Shorter histories with the same fault that are looked for. */
const mostShrinking = 60;

/**
 * Plays histories by chance. A failure names the seed, the path and the steps of a short one; with
 * SEED and HISTORIES_PATH the same file plays that one again.
 */
export async function playHistories(name: string, played: Played): Promise<Readonly<Figures>> {
  const { weights = {}, apart_s = [0], isAudited = false } = played;
  const seed = seedOf(played.seed);
  const count = Number(HISTORIES_COUNT ?? (postgresUrl ? Math.ceil(played.count / 20) : played.count));
  const figures: Figures = {
    histories: 0,
    steps: 0,
    restored: 0,
    audits: 0,
    accusations: 0,
    hours: 0,
    ended: 0,
    missed: 0,
    taken: 0,
  };
  const tell = () => {
    const { steps, restored, audits, accusations, hours, ended, missed, taken } = figures;
    process.stdout.write(
      `${name}: ${figures.histories} histories of ${count} with seed ${seed}, ${steps} steps, ${restored} backups restored; audits over HTTP: ${audits}, with ${accusations} accusations; claims in force whose host failed for an hour: ${hours}, of which ${ended} ended; claims that one reading missed: ${missed}, and ${taken} were taken\n`,
    );
  };
  let shrinking = 0;
  const property = fc.asyncProperty(
    fc.record({ steps: histories(weights), apart_s: fc.constantFrom(...apart_s) }),
    async (history) => {
      if (shrinking > 0) fc.pre(shrinking++ <= mostShrinking);
      try {
        await play(history.steps, [history.apart_s, isAudited], figures);
      } catch (error) {
        shrinking ||= 1;
        throw error;
      }
    },
  );
  try {
    await fc.assert(property, {
      numRuns: count,
      seed,
      ...(HISTORIES_PATH !== undefined && { path: HISTORIES_PATH }),
    });
  } finally {
    tell();
  }
  return figures;
}
