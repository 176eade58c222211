import { type DumpCosts, measureDump } from '../api/dump.ts';
import { prepareSqlite } from '../database.ts';
import type { Plan } from '../plan.ts';
import { atMost, type Part, type Row, whole } from '../report.ts';
import { startService } from '../server.ts';

/** Memory is flat if all listings take hardly more than half of them. */
const mostGrowth = 1.1;

const peakOf = ({ quarters_mb }: DumpCosts) => Math.max(...quarters_mb);

/** One dump by a service that did nothing before. */
async function dump(folder: string, listings: number): Promise<DumpCosts> {
  const service = await startService((await prepareSqlite(folder, listings)).url);
  try {
    return await measureDump(service);
  } finally {
    await service.stop();
  }
}

function toRow(costs: DumpCosts, half: DumpCosts | undefined): Row {
  const { rows, bytes, seconds, before_mb, quarters_mb } = costs;
  const growth = half && peakOf(costs) / peakOf(half);
  return {
    what: `a dump of ${whole(rows)} listings, records and evidence; memory before it, and at most in each quarter of it`,
    figure: `${seconds.toFixed(1)} s, ${(bytes / 2 ** 20).toFixed(1)} MB; ${before_mb.toFixed(0)}; ${quarters_mb.map((mb) => mb.toFixed(0)).join(', ')} MB`,
    ...(growth && {
      share: `${growth.toFixed(2)} x of half as many`,
      ...atMost(growth, mostGrowth, 'x of half as many'),
    }),
  };
}

/** Dumps of a sixth, half and all of the listings, each by a service of its own. */
export async function measureDumps({ folder, listings }: Plan): Promise<Part> {
  const sixth = await dump(folder, Math.round(listings / 6));
  const half = await dump(folder, Math.round(listings / 2));
  const all = await dump(folder, listings);
  return {
    title: 'Dumps, each by a service that was just started',
    rows: [toRow(sixth, undefined), toRow(half, undefined), toRow(all, half)],
  };
}
