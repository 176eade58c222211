import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from '../command.ts';
import { functionOf, placeOf, type Spent, spentBy } from '../cpu-profile.ts';
import { prepareSqlite, removeDatabase } from '../database.ts';
import { drive, type Sent } from '../load.ts';
import { toCall, toLegacy } from '../mcp-requests.ts';
import type { Plan } from '../plan.ts';
import { prepareRated } from '../rated-database.ts';
import type { Part, Row } from '../report.ts';
import { toSearches } from '../search-mix.ts';
import { startRegistry, startService } from '../server.ts';
import { toHandles } from '../synthetic.ts';

const shown = 10;
const importedListings = 20_000;

type Profiled = (plan: Plan, flags: readonly string[]) => Promise<void>;

/** The service under a load, profiled from its start to its end. */
async function profileLoad(url: string, requests: readonly Sent[], nodeFlags: readonly string[]) {
  const server = await startService(url, { nodeFlags });
  try {
    await drive({ name: 'profile', server, requests }, 15);
  } finally {
    await server.stop();
  }
}

/** A request whose search differs each time, so that hardly any is answered from a cache. */
function toSearchRequest(listings: number): Sent {
  const calls = toSearches(20_000, listings).map(({ words }) =>
    toLegacy('tools/call', { name: 'search_agents', arguments: { query: words.join(' ') } }),
  );
  let at = 0;
  const setupRequest: Sent['setupRequest'] = (sent) => ({ ...sent, body: calls[at++ % calls.length]?.body });
  return { ...calls[0], setupRequest };
}

const profiled: Readonly<Record<string, Profiled>> = {
  async get_agent({ folder, listings }, flags) {
    const { url } = await prepareSqlite(folder, listings);
    const requests = toHandles(listings, 1000).map((handle) => toLegacy('tools/call', toCall(handle)));
    await profileLoad(url, requests, flags);
  },
  async search({ folder, listings }, flags) {
    const { url } = await prepareSqlite(folder, listings);
    await profileLoad(url, [toSearchRequest(listings)], flags);
  },
  async page({ folder, listings }, flags) {
    const { url } = await prepareSqlite(folder, listings);
    const requests = toHandles(listings, 1000).map((handle) => ({ path: `/agents/${handle}` }));
    await profileLoad(url, requests, flags);
  },
  async submit_rating({ folder }, flags) {
    const { url, requests } = await prepareRated(folder);
    await profileLoad(url, requests, flags);
  },
  async import({ folder }, flags) {
    const path = join(folder, 'profiled.db');
    removeDatabase(path);
    const registry = await startRegistry({ listings: importedListings });
    try {
      const args = [...flags, 'src/main.js', 'import', '--from', registry.url];
      await runScript(args, { DATABASE_URL: `file:${path}` });
    } finally {
      await registry.stop();
      removeDatabase(path);
    }
  },
};

const toRow = ({ place, share }: Spent): Row => ({ what: place, figure: `${(share * 100).toFixed(1)} %` });

const isOurs = ({ place }: Spent) => place.startsWith('src/');

async function profile(name: string, run: Profiled, plan: Plan): Promise<Part> {
  const folder = join(plan.folder, 'profile');
  rmSync(folder, { recursive: true, force: true });
  await run(plan, ['--cpu-prof', `--cpu-prof-dir=${folder}`]);
  const [file = ''] = globSync(join(folder, '*.cpuprofile'));
  const places = spentBy(file, placeOf);
  const ours = places.filter(isOurs).reduce((sum, { share }) => sum + share, 0);
  return {
    title: `Profile of ${name}: self time by package or file, then by function`,
    rows: [
      ...places.slice(0, shown).map(toRow),
      toRow({ place: 'all of src/', share: ours }),
      ...spentBy(file, functionOf).slice(0, shown).map(toRow),
    ],
  };
}

/**
 * Where the processor time goes: of calls, searches as people make them, listing pages, ratings, an import.
 */
export const profiles: Readonly<Record<string, (plan: Plan) => Promise<Part>>> = Object.fromEntries(
  Object.entries(profiled).map(([name, run]) => [name, (plan: Plan) => profile(name, run, plan)]),
);
