import { setTimeout as wait } from 'node:timers/promises';
import { runScript } from '../command.ts';
import { cpuTime_ms, memoryOf, toMemoryText } from '../machine.ts';
import { toCall, toLegacy } from '../mcp-requests.ts';
import { makeObserved, toHandle, toOverrides } from '../observer/listings.ts';
import type { RunCosts } from '../observer/runs.ts';
import { type Answered, type CheckedRequest, drivePaced } from '../paced.ts';
import type { Plan } from '../plan.ts';
import { median } from '../quantile.ts';
import { atLeast, atMost, type Part, whole } from '../report.ts';
import { interleave } from '../rounds.ts';
import { type Server, startServer, startService } from '../server.ts';

const callsPerSecond = 100;
const mostRuns = 2000;
const metricsPort = 19_400;
const goalPerHour = 20_000;

/** Samples of the observer's metrics. */
async function readRuns(): Promise<{ runs: number; due: number }> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const read = (pattern: RegExp) =>
    [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
  if (read(/^dossier_observer_checks_total\{outcome="failed"\} (\d+)$/gm) > 0)
    throw new Error('runs failed on our side; the log of the service says why');
  return {
    runs: read(/^dossier_observer_checks_total\{outcome="(?:changed|unchanged)"\} (\d+)$/gm),
    due: read(/^dossier_observer_due_listings (\d+)$/gm),
  };
}

/** Calls of get_agent of random listings at a steady rate; most of them are not cached. */
async function callAgents(service: Server, listings: number, seconds: number): Promise<Answered> {
  const next = (): CheckedRequest => ({
    kind: 'get_agent',
    request: toLegacy('tools/call', toCall(toHandle(Math.floor(Math.random() * listings)))),
    isCorrect: (status, text) => status === 200 && !text.includes('"isError":true'),
  });
  const { all, wrong, wrongCount } = await drivePaced(service, next, { perSecond: callsPerSecond, seconds });
  if (wrongCount > 0) throw new Error(`${wrongCount} wrong answers: ${wrong[0]}`);
  return all;
}

/** Both services of one database: one observes, the other does not. */
interface Services {
  readonly observing: Server;
  readonly quiet: Server;
}

/**
 * The same calls in turns while the one service observes, and of the other one while the first is stopped.
 */
async function measurePass({ observing, quiet }: Services, { listings, rounds, seconds }: Plan) {
  while ((await readRuns()).runs < 200) await wait(100);
  const { pid } = observing;
  let runs = 0;
  let cpu_ms = 0;
  let elapsed_s = 0;
  const callObserving = async () => {
    const before = await readRuns();
    const cpu = cpuTime_ms(pid) ?? 0;
    const started = performance.now();
    const answered = await callAgents(observing, listings, seconds);
    runs += (await readRuns()).runs - before.runs;
    cpu_ms += (cpuTime_ms(pid) ?? 0) - cpu;
    elapsed_s += (performance.now() - started) / 1000;
    return answered;
  };
  const callQuiet = async () => {
    process.kill(pid, 'SIGSTOP');
    try {
      return await callAgents(quiet, listings, seconds);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  };
  const called = await interleave(['busy', 'quiet'] as const, rounds, (name) =>
    name === 'busy' ? callObserving() : callQuiet(),
  );
  if ((await readRuns()).due === 0)
    throw new Error('the pass ended while it was measured; take more listings');
  const medianOf = (name: 'busy' | 'quiet') => ({
    p50_ms: median((called.get(name) ?? []).map(({ p50_ms }) => p50_ms)),
    p99_ms: median((called.get(name) ?? []).map(({ p99_ms }) => p99_ms)),
  });
  return {
    perHour: (runs / elapsed_s) * 3600,
    cpuOfRun_ms: cpu_ms / runs,
    busy: medianOf('busy'),
    quiet: medianOf('quiet'),
    memory: memoryOf(pid),
  };
}

function toPart({ listings }: Plan, pass: Awaited<ReturnType<typeof measurePass>>, costs: RunCosts): Part {
  const { perHour, cpuOfRun_ms, busy, quiet, memory } = pass;
  const ratio = busy.p99_ms / quiet.p99_ms;
  return {
    title: `Observer, ${whole(listings)} listings with endpoints on 200 hosts, all on loopback; quiet: by a second service, while the first is stopped, in turns`,
    rows: [
      {
        what: `observation runs an hour on one core, with ${callsPerSecond} get_agent a second`,
        figure: `${whole(perHour)}, ${cpuOfRun_ms.toFixed(1)} ms of processor time a run`,
        ...atLeast(Math.round(perHour), goalPerHour),
      },
      { what: 'memory of the service meanwhile', figure: toMemoryText(memory) },
      {
        what: 'get_agent meanwhile',
        figure: `p50 ${busy.p50_ms.toFixed(1)} p99 ${busy.p99_ms.toFixed(1)} ms`,
        share: `${ratio.toFixed(2)} x`,
        ...atMost(ratio, 1.5, 'x at p99'),
      },
      {
        what: 'get_agent, quiet',
        figure: `p50 ${quiet.p50_ms.toFixed(1)} p99 ${quiet.p99_ms.toFixed(1)} ms`,
      },
      { what: 'stored for a first run', figure: `${whole(costs.first_bytes)} bytes` },
      { what: 'stored for a run that saw nothing new', figure: `${whole(costs.again_bytes)} bytes` },
      {
        what: 'from a change at the endpoint to the listing document, if checked at once',
        figure: `${costs.changed_to_page_ms.toFixed(0)} ms`,
      },
    ],
  };
}

/** The figures of the observer: runs an hour, readers meanwhile, bytes of a look. */
export async function measureObserver(plan: Plan): Promise<Part> {
  const endpoints = await startServer({
    name: 'endpoints',
    script: 'bench/references/endpoints.ts',
    core: 'load',
  });
  try {
    const few = Math.min(plan.listings, mostRuns);
    const observed = await makeObserved(plan.folder, few);
    const args = ['bench/observer/runs.ts', observed, String(few), endpoints.url];
    const costs = JSON.parse(await runScript(args)) as RunCosts;
    const url = await makeObserved(plan.folder, plan.listings);
    const environment = {
      OBSERVE: 'on',
      PACKAGE_REGISTRIES: '{}',
      METRICS_PORT: String(metricsPort),
      HOST_OVERRIDES: toOverrides(endpoints.url),
    };
    const quiet = await startService(url);
    const observing = await startService(url, { environment });
    try {
      return toPart(plan, await measurePass({ observing, quiet }, plan), costs);
    } finally {
      await observing.stop();
      await quiet.stop();
    }
  } finally {
    await endpoints.stop();
  }
}
