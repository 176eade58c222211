import { z } from 'zod';
import { readVerifier } from '../../evidence/log/signed-note.ts';
import { readEntryBundle, tileWidth, toTilePath } from '../../evidence/log/tiles.ts';
import type { AuditedLog, EvidenceReader, ReadRecord } from './evidence-reader.ts';
import { type AskService, type ServiceAnswer, ServiceUnreadable } from './service-client.ts';

const logs = z.object({
  logs: z.array(
    z.object({
      first_log_index: z.int().min(0),
      entries: z.int().min(0),
      key: z.string(),
      closed_with: z.string().optional(),
    }),
  ),
});

/** How the service says that what it has stored for an entry is not what the log commits to. */
const admission = z.object({
  code: z.literal('internal'),
  detail: z.string().includes('disagrees with the log'),
});

const proof = z.object({
  record: z.string().optional(),
  salt: z.string().optional(),
  withdrawn_by: z.int().optional(),
  withheld: z.string().optional(),
});

const hash_bytes = 32;
/** Requests at once: below the burst that a service allows. */
const together = 8;

/** The JSON of an answer in the expected form; throws ServiceUnreadable for any other. */
export function readAnswer<T extends z.ZodType>(
  path: string,
  { status, body }: ServiceAnswer,
  form: T,
): z.output<T> {
  const answer = form.safeParse(status === 200 ? toJson(body) : undefined);
  if (answer.success) return answer.data;
  throw new ServiceUnreadable(`${path}: answered with status ${status} and not in the form of this version`);
}

/** Undefined if it is not JSON. */
export function toJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

const pathOf = (id: number) => (id === 1 ? '/log' : `/log/${id}`);

const readHeads = async (ask: AskService) => readAnswer('/log', await ask('/log'), logs).logs;

async function readLogs(ask: AskService): Promise<AuditedLog[]> {
  const last = (await readHeads(ask)).length;
  // The sizes are read after the checkpoint, so that no log is smaller than it.
  const newest = (await ask(`${pathOf(last)}/checkpoint`)).body.toString('utf8');
  return (await readHeads(ask)).map(({ first_log_index, entries, key }, at) => ({
    ...{ id: at + 1, base: first_log_index, size: entries, key: readVerifier(key) },
    ...(at + 1 === last && { checkpoint: newest }),
  }));
}

/** One tile, or what there is of it: the nodes or entries of a level. */
async function readTile(
  ask: AskService,
  [{ id }, level]: [AuditedLog, string],
  { from, limit }: { from: number; limit: number },
) {
  const first = from - (from % tileWidth);
  const path = `${pathOf(id)}/tile/${level}/${toTilePath({ from: first, width: from - first + limit })}`;
  const { status, body } = await ask(path);
  if (status !== 200) throw new ServiceUnreadable(`${path}: answered with status ${status}`);
  return { body, skipped: from - first };
}

const isInClosedLog = async (ask: AskService, index: number) =>
  (await readHeads(ask)).some(
    ({ first_log_index: base, entries, closed_with }) =>
      closed_with !== undefined && index >= base && index < base + entries,
  );

async function readRecord(ask: AskService, log_index: number): Promise<ReadRecord> {
  const path = '/api/tools/get_proof';
  const answer = await ask(path, { log_index });
  // Any other failure says nothing about the entry.
  if (answer.status === 500 && admission.safeParse(toJson(answer.body)).success) return 'refused';
  if (answer.status === 404) return (await isInClosedLog(ask, log_index)) ? 'closed' : 'absent';
  const { record, salt, withdrawn_by, withheld } = readAnswer(path, answer, proof);
  if (withdrawn_by !== undefined || withheld !== undefined) return { withdrawn_by };
  return record === undefined || salt === undefined ? 'absent' : { record, salt };
}

/** The half of the reader that reads the log; each record is asked for once. */
export function createServedLog(
  ask: AskService,
): Pick<EvidenceReader, 'logs' | 'leaves' | 'nodes' | 'records'> {
  const known = new Map<number, ReadRecord>();
  return {
    logs: () => readLogs(ask),
    async leaves(log, from, limit) {
      const { body, skipped } = await readTile(ask, [log, 'entries'], { from, limit });
      return readEntryBundle(body).slice(skipped);
    },
    async nodes(log, level, range) {
      const { body, skipped } = await readTile(ask, [log, String(level / 8)], range);
      return Array.from({ length: body.length / hash_bytes - skipped }, (_, at) =>
        body.subarray((at + skipped) * hash_bytes, (at + skipped + 1) * hash_bytes),
      );
    },
    async records(indexes) {
      const missing = indexes.filter((index) => !known.has(index));
      for (let at = 0; at < missing.length; at += together)
        await Promise.all(
          missing
            .slice(at, at + together)
            .map(async (index) => known.set(index, await readRecord(ask, index))),
        );
      return new Map(indexes.map((index): [number, ReadRecord] => [index, known.get(index) ?? 'absent']));
    },
  };
}
