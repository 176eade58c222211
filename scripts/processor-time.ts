import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

// Usage: `node scripts/processor-time.ts npm test`. Runs a command and prints the processor time of its
// processes. Linux only.

const ticksOfOneSecond = 100;
const sample_ms = 50;

/** Kinds of processes by their command line; the first pattern that matches counts. */
const kinds: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Chromium', /chromium/],
  ['PostgreSQL', /postgres|initdb|pg_ctl/],
  ['git', /(^|\/)git\b/],
  ['started dossier', /\/main\.js\b/],
  ['test workers', /vitest\/dist\/workers/],
  ['vitest itself', /vitest/],
  ['other programs of Node.js', /(^|\/)node(\s|$)/],
];

interface Seen {
  readonly parent: number;
  readonly kind: string | undefined;
  readonly own_ticks: number;
}

function readProcess(id: number): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [parent = 0, user = 0, system = 0] = [1, 11, 12].map((at) => Number(fields[at]));
    const line = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const kind = kinds.find(([, pattern]) => pattern.test(line))?.[0];
    return { parent, kind, own_ticks: user + system };
  } catch {
    return undefined;
  }
}

/** The newest sample of every process below a root; one that was seen once keeps its parent. */
function createSampler(root: number) {
  const seen = new Map<string, Seen>();
  const names = new Map<number, string>();
  const sample = () => {
    const now = new Map<number, Seen>();
    for (const name of readdirSync('/proc')) {
      const found = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
      if (found) now.set(Number(name), found);
    }
    const isBelow = (id: number | undefined): boolean =>
      id === root || (id !== undefined && isBelow(now.get(id)?.parent));
    for (const [id, found] of now) {
      const known = names.get(id);
      if (known === undefined && !isBelow(id)) continue;
      const before = known === undefined ? undefined : seen.get(known);
      // A process id that was given to another process starts from zero again.
      const isOther = before && before.own_ticks > found.own_ticks;
      const key = known === undefined || isOther ? `${id}-${seen.size}` : known;
      names.set(id, key);
      // A test worker overwrites its command line with a title.
      seen.set(key, { ...found, kind: found.kind ?? seen.get(key)?.kind });
    }
  };
  return { seen, sample };
}

const [command = 'npm', ...args] = process.argv.slice(2);
const started_ms = Date.now();
const child = spawn(command, args, { stdio: 'inherit' });
const ended = once(child, 'close');
const { seen, sample } = createSampler(child.pid ?? 0);
let isOver = false;
void ended.then(() => {
  isOver = true;
});
const before = process.resourceUsage();
while (!isOver) {
  sample();
  await wait(sample_ms);
}
const [code] = await ended;

const byKind = new Map<string, { ticks: number; processes: number }>();
for (const { kind = 'shells and others', own_ticks } of seen.values()) {
  const { ticks, processes } = byKind.get(kind) ?? { ticks: 0, processes: 0 };
  byKind.set(kind, { ticks: ticks + own_ticks, processes: processes + 1 });
}
/** The processor time of all children of this process, also of those that ended between two samples. */
const endedTicks = (() => {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[13]) + Number(fields[14]);
})();
const sampledTicks = [...byKind.values()].reduce((sum, { ticks }) => sum + ticks, 0);
byKind.set('ended between two samples', { ticks: Math.max(0, endedTicks - sampledTicks), processes: 0 });
const elapsed_s = (Date.now() - started_ms) / 1000;
const total_s = [...byKind.values()].reduce((sum, { ticks }) => sum + ticks, 0) / ticksOfOneSecond;
console.log(`\n| who | processor time, s | processes seen |\n| --- | --- | --- |`);
for (const [kind, { ticks, processes }] of [...byKind].toSorted(([, a], [, b]) => b.ticks - a.ticks))
  console.log(`| ${kind} | ${(ticks / ticksOfOneSecond).toFixed(1)} | ${processes} |`);
console.log(`| all | ${total_s.toFixed(1)} | ${seen.size} |`);
const own = process.resourceUsage();
const own_s = (own.userCPUTime + own.systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1e6;
console.log(
  `\n${elapsed_s.toFixed(0)} s in all, this sampler ${own_s.toFixed(1)} s, load ${loadavg()[0]?.toFixed(1)}, ${new Date().toISOString()}`,
);
process.exitCode = code ?? 1;
