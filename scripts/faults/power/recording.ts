import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { attachStrace } from '../attach.ts';
import { must } from '../fault.ts';
import { createDisk } from './disk.ts';
import { type Call, readTrace, traceArgs } from './trace.ts';

/** What a process wrote to the files of a folder in some seconds: the files before, and every call since. */
export interface Recording {
  readonly before: ReadonlyMap<string, Buffer>;
  readonly calls: readonly Call[];
}

/** The shared memory of SQLite is written without calls; after a power cut it is made anew. */
const isShared = (path: string) => path.endsWith('-shm');

const readFolder = (folder: string): Map<string, Buffer> =>
  new Map(
    readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => !isShared(path))
      .map((path) => [path, readFileSync(path)]),
  );

/** Stops every thread of a process, and waits until none is inside a call. */
async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const states = () =>
    readdirSync(`/proc/${pid}/task`).map((task) =>
      readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8').replace(/^.*\) (\w).*$/s, '$1'),
    );
  while (states().some((state) => state.toLowerCase() !== 't')) await wait(5);
}

/**
 * The calls alone must lead from the files before to the files after; else one is missing in the recording.
 */
function requireComplete({ before, calls }: Recording, after: ReadonlyMap<string, Buffer>): void {
  const disk = createDisk(before);
  for (const { change } of calls) disk.change(change);
  for (const [path, content] of disk.current())
    must(after.get(path)?.equals(content) ?? false, `the recording of ${path} is not complete`);
}

/** Records what a process does to the files of a folder for some time. */
export async function record(pid: number, file: string, time_ms: number): Promise<Recording> {
  const folder = dirname(file);
  const trace = join(tmpdir(), `dossier-trace-${pid}`);
  await freeze(pid);
  const before = readFolder(folder);
  const detach = await attachStrace(pid, [...traceArgs, '-o', trace]);
  process.kill(pid, 'SIGCONT');
  await wait(time_ms);
  await freeze(pid);
  const after = readFolder(folder);
  await detach();
  process.kill(pid, 'SIGCONT');
  const recording = {
    before,
    calls: (await readTrace(trace, folder)).filter(({ change }) => !isShared(change.path)),
  };
  rmSync(trace);
  requireComplete(recording, after);
  return recording;
}
