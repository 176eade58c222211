import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectRoot, runScript } from '../command.ts';
import { requestOnce } from '../load.ts';
import { cpuTime_ms } from '../machine.ts';
import { toCall, toLegacy } from '../mcp-requests.ts';
import { makeObserved, toHandle, toOverrides } from '../observer/listings.ts';
import type { Plan } from '../plan.ts';
import { median } from '../quantile.ts';
import type { Part } from '../report.ts';
import { interleave } from '../rounds.ts';
import { type Server, startServer, startService } from '../server.ts';

/** More would take long to observe. */
const mostListings = 3000;

/** Observes each listing once with a checkout's own command, and starts its service on that database. */
async function startObserved(plan: Plan, checkout: string, endpoints: Server): Promise<Server> {
  const folder = join(plan.folder, `observed-${basename(checkout)}`);
  mkdirSync(folder, { recursive: true });
  const url = await makeObserved(folder, Math.min(plan.listings, mostListings), checkout);
  const settings = { PACKAGE_REGISTRIES: '{}', HOST_OVERRIDES: toOverrides(endpoints.url) };
  process.stderr.write(`observing with ${basename(checkout)} ... `);
  await runScript(
    ['src/main.js', 'observe'],
    { DATABASE_URL: url, REGISTRY_URL: 'off', ...settings },
    checkout,
  );
  return startService(url, { checkout, name: basename(checkout) });
}

/** Processor time of one of so many calls of different listings, one after the other. */
async function cpuOfEach_us(server: Server, from: number, calls: number): Promise<number> {
  const requests = Array.from({ length: calls }, (_, at) =>
    toLegacy('tools/call', toCall(toHandle(from + at))),
  );
  const before_ms = cpuTime_ms(server.pid) ?? 0;
  for (const at of requests.keys()) await requestOnce({ name: server.name, server, requests }, at);
  return (((cpuTime_ms(server.pid) ?? 0) - before_ms) * 1000) / calls;
}

/**
 * Processor time of a `get_agent` of a listing that was observed and is not in the cache, of this checkout
 * and those of `--before`.
 */
export async function measureUncached(plan: Plan): Promise<Part> {
  const endpoints = await startServer({
    name: 'endpoints',
    script: 'bench/references/endpoints.ts',
    core: 'load',
  });
  const services = new Map<string, Server>();
  try {
    for (const checkout of [projectRoot, ...plan.before])
      services.set(checkout, await startObserved(plan, checkout, endpoints));
    // Each listing is asked about once in each service, so that no answer comes from a cache.
    const each = Math.floor(Math.min(plan.listings, mostListings) / (plan.rounds + 1));
    const asked = new Map<string, number>();
    const times = await interleave([...services.keys()], plan.rounds, async (checkout) => {
      const server = services.get(checkout);
      if (!server) throw new Error(`no service of ${checkout}`);
      const from = asked.get(checkout) ?? 0;
      asked.set(checkout, from + each);
      return cpuOfEach_us(server, from, each);
    });
    const own = median(times.get(projectRoot) ?? []);
    return {
      title: `get_agent that is not cached, ${each} observed listings a round; share: of the processor time of this checkout`,
      rows: [...times].map(([checkout, rounds]) => ({
        what: checkout === projectRoot ? 'this checkout' : `before: ${basename(checkout)}`,
        figure: `${median(rounds).toFixed(0)} us`,
        share: `${(median(rounds) / own).toFixed(2)} x`,
      })),
    };
  } finally {
    for (const server of [...services.values(), endpoints]) await server.stop();
  }
}
