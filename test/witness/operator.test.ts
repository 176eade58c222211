import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { toLeaf } from '../../src/log/leaf.ts';
import { createWitnessRound } from '../../src/log/witnesses.ts';
import { runDossier } from '../support/command.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { operationsOf } from '../support/operations.ts';
import { openWitness, type RunningWitness, startWitness } from '../support/witnesses.ts';

let folder: string;
let directory: Directory;
let started: RunningWitness[];
const database = (name: string) => `file:${join(folder, name)}`;
const open = (name: string) =>
  openDirectory({
    entries: [],
    environment: { DATABASE_URL: database(name), PUBLIC_URL: 'http://127.0.0.1:9', LIMITS: 'off' },
  });
beforeEach(async () => {
  started = [];
  folder = await mkdtemp(join(tmpdir(), 'dossier-witness-'));
  directory = await open('a.db');
});
afterEach(async () => {
  for (const witness of started) witness.stop();
  await directory.close();
  await rm(folder, { recursive: true });
});

/** Appends an entry each and publishes the checkpoint. */
async function publish(...texts: string[]) {
  await directory.store.write(async (tx) => {
    for (const text of texts) await tx.log.append(toLeaf('rating.submitted', { text }));
  });
  directory.wait(2);
  return (await directory.app.request('/log/checkpoint')).text();
}
async function start(name: string) {
  const running = await startWitness(name);
  started.push(running);
  return running;
}
/** The value of WITNESSES for these witnesses: name, key, address. */
async function name(...witnesses: readonly [string, string | undefined, string][]) {
  const file = join(folder, 'witnesses');
  await writeFile(
    file,
    [...witnesses.map((words) => `witness ${words.join(' ')}`), 'quorum none'].join('\n'),
  );
  return file;
}
/** What dossier doctor says of witnesses, and whether it is a fault. */
async function diagnose(WITNESSES: string, of = 'a.db') {
  const settings = { DATABASE_URL: database(of), PUBLIC_URL: 'http://127.0.0.1:9', REGISTRY_URL: 'off' };
  const { stdout } = await runDossier(['doctor'], { ...settings, LOG_LEVEL: 'error', WITNESSES });
  return [...stdout.matchAll(/^(\w+) +witnesses: (.+)$/gm)].map(([, mark, text]) => `${mark}: ${text}`);
}

describe('dossier doctor', () => {
  it('says how much of the log each witness has cosigned, and whose key or address is wrong', async () => {
    await publish('one', 'two');
    const good = await start('good');
    const other = await start('other');
    const witnesses = await name(
      ['good', good.keys[0], good.url],
      ['other', openWitness('other.example/w', 4, 8).vkey, other.url],
      ['away', openWitness('away.example/w', 4, 9).vkey, 'http://127.0.0.1:9/'],
      ['elsewhere', good.keys[1], `${good.url}/elsewhere`],
    );
    const rest = [
      'FAULT: other did not sign with the key that WITNESSES has for it',
      'warning: away does not answer at http://127.0.0.1:9/: host_unreachable',
      'FAULT: elsewhere does not know this log',
    ];
    expect(await diagnose(witnesses)).toEqual([
      'ok: good had cosigned 0 of 2 entries, and has now cosigned all of them',
      ...rest,
    ]);
    expect(await diagnose(witnesses)).toEqual([
      'ok: good has cosigned the published checkpoint of 2 entries',
      ...rest,
    ]);
    await publish('three');
    expect(await diagnose(await name(['good', good.keys[0], good.url]))).toEqual([
      'ok: good had cosigned 2 of 3 entries, and has now cosigned all of them',
    ]);
    expect(await diagnose('')).toEqual(['ok: none are asked (WITNESSES is not set)']);
  });
  it('names a fork, and a log that was rolled back', async () => {
    await publish('one', 'two');
    const { keys, url } = await start('w');
    const witnesses = await name(['w', keys[0], url]);
    await directory.close();
    await cp(join(folder, 'a.db'), join(folder, 'copy.db'));
    directory = await open('a.db');
    await publish('three', 'four');
    expect(await diagnose(witnesses)).toEqual([
      'ok: w had cosigned 0 of 4 entries, and has now cosigned all of them',
    ]);
    await directory.close();
    directory = await open('copy.db');
    await publish('another three');
    expect(await diagnose(witnesses, 'copy.db')).toEqual([
      'FAULT: w has cosigned 4 entries, and this log has fewer: it was rolled back, or the witness is wrong',
    ]);
    await publish('another four');
    expect(await diagnose(witnesses, 'copy.db')).toEqual([
      'FAULT: a fork: this log does not continue the tree of 4 entries that w cosigned, or the witness is wrong',
    ]);
    await publish('another five');
    expect(await diagnose(witnesses, 'copy.db')).toEqual([
      'FAULT: a fork: this log does not continue the tree of 4 entries that w cosigned, or the witness is wrong',
    ]);
  });
});

it('metrics count the answers of each witness, and say when it cosigned last', async () => {
  await publish('one');
  const { keys, url } = await start('w');
  const WITNESSES = await name(
    ['w', keys[0], url],
    ['away', openWitness('away.example/w', 4, 9).vkey, 'http://127.0.0.1:9/'],
  );
  const config = readConfig({ DATABASE_URL: database('a.db'), METRICS_PORT: '0', WITNESSES }, '0.0.0-test');
  const context = { ...directory.context, config: { ...directory.context.config, ...pick(config) } };
  const metrics = await operationsOf(context).startMetrics();
  try {
    const ask = createWitnessRound(context);
    await ask();
    await ask();
    const text = await (await fetch(metrics.url)).text();
    const samples = text
      .split('\n')
      .filter((line) => /^dossier_witness_.*witness="(w|away)"/.test(line))
      .sort();
    expect(
      samples.map((line) => line.replace(/(timestamp_seconds\{.*\}) \d{10}(\.\d+)?$/, '$1 <time>')),
    ).toEqual([
      'dossier_witness_answers_total{witness="away",result="unavailable"} 2',
      'dossier_witness_answers_total{witness="w",result="cosigned"} 1',
      'dossier_witness_cosigned{witness="away"} 0',
      'dossier_witness_cosigned{witness="w"} 1',
      'dossier_witness_last_cosigned_timestamp_seconds{witness="w"} <time>',
    ]);
  } finally {
    await metrics.stop();
  }
});

const pick = ({ metricsListener, witnesses }: ReturnType<typeof readConfig>) => ({
  metricsListener,
  witnesses,
});
