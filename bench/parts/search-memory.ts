import { prepareSearched } from '../database.ts';
import { memoryOf, toMemoryText } from '../machine.ts';
import { drivePaced } from '../paced.ts';
import type { Plan } from '../plan.ts';
import { type Part, type Row, whole } from '../report.ts';
import { toRequests } from '../search/requests.ts';
import { startService } from '../server.ts';

const searchesPerSecond = 60;

/** Memory of the service on SQLite while it answers different searches over HTTP: a row after each round. */
export async function measureSearchMemory({ folder, listings, rounds, seconds }: Plan): Promise<Part> {
  const { url } = await prepareSearched(folder, listings);
  const service = await startService(url);
  try {
    const next = toRequests(listings);
    const rows: Row[] = [{ what: 'at the start', figure: toMemoryText(memoryOf(service.pid)) }];
    let answers = 0;
    for (let round = 0; round < rounds; round++) {
      const { all, wrongCount } = await drivePaced(service, next, { perSecond: searchesPerSecond, seconds });
      answers += all.count;
      const figure = `${toMemoryText(memoryOf(service.pid))}; ${wrongCount} wrong`;
      rows.push({ what: `after ${whole(answers)} searches`, figure });
    }
    const title = `Memory, ${searchesPerSecond} searches a second, SQLite, ${whole(listings)} listings`;
    return { title, rows };
  } finally {
    await service.stop();
  }
}
