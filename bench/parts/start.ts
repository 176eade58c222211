import { prepareSqlite } from '../database.ts';
import { requestOnce } from '../load.ts';
import { cpuTime_ms } from '../machine.ts';
import { toLegacy } from '../mcp-requests.ts';
import type { Plan } from '../plan.ts';
import { median } from '../quantile.ts';
import { atMost, type Part, whole } from '../report.ts';
import { interleave } from '../rounds.ts';
import { startService } from '../server.ts';

async function startOnce(url: string) {
  const started = performance.now();
  const server = await startService(url);
  try {
    await requestOnce({ name: 'ready', server, requests: [{ path: '/readyz' }] });
    const ready_ms = performance.now() - started;
    const cpu_ms = cpuTime_ms(server.pid) ?? 0;
    const list = await requestOnce({ name: 'tools/list', server, requests: [toLegacy('tools/list')] });
    return { ready_ms, cpu_ms, list_bytes: Buffer.byteLength(list) };
  } finally {
    await server.stop();
  }
}

/**
 * Goal 6: from the start of the process to the first `ready`, and what every client pays to list the tools.
 */
export async function measureStart({ folder, listings, rounds }: Plan): Promise<Part> {
  const { url } = await prepareSqlite(folder, listings);
  const measured = await interleave(['start'], rounds, () => startOnce(url));
  const starts = measured.get('start') ?? [];
  const ready_ms = median(starts.map((start) => start.ready_ms));
  const cpu_ms = median(starts.map((start) => start.cpu_ms));
  const tokens = median(starts.map(({ list_bytes }) => list_bytes)) / 4;
  return {
    title: `Start, ${whole(listings)} listings`,
    rows: [
      {
        what: 'start to ready',
        figure: `${whole(ready_ms)} ms, ${whole(cpu_ms)} ms of processor time`,
        ...atMost(ready_ms, 2000, 'ms'),
      },
      {
        what: 'tools/list, four bytes a token',
        figure: `${whole(tokens)} tokens`,
        ...atMost(tokens, 3900, 'tokens'),
      },
    ],
  };
}
