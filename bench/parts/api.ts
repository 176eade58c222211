import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CheckTimes, measureCheck } from '../api/check.ts';
import { type DeliveryRates, measureDeliveries } from '../api/deliveries.ts';
import { type Case, compare, withServers } from '../compare.ts';
import { prepareSqlite, removeDatabase } from '../database.ts';
import type { Sent } from '../load.ts';
import type { Plan } from '../plan.ts';
import { type Part, type Row, whole } from '../report.ts';
import { type Server, startReference, startService } from '../server.ts';
import { toHandles } from '../synthetic.ts';

const byNames = 500;
const pagesRead = 20;
const locked = 100;
const reference = 'bare hello on Hono';

const pathOf = (handle: string) => `/v0.1/servers/${encodeURIComponent(handle)}/versions/latest`;
const get = (path: string): Sent => ({ path, headers: { accept: 'application/json' } });

interface Page {
  readonly servers: readonly { readonly _meta: object }[];
  readonly metadata: { readonly nextCursor?: string };
}

/** The first pages of the list as hosts ask for them, and how many bytes `_meta` takes in each entry. */
async function readPages({ url }: Server): Promise<{ requests: Sent[]; meta_bytes: number[] }> {
  const [requests, meta_bytes]: [Sent[], number[]] = [[], []];
  for (
    let path: string | undefined = '/v0.1/servers?limit=50&version=latest';
    path && requests.length < pagesRead;
  ) {
    requests.push(get(path));
    const page = (await (await fetch(url + path)).json()) as Page;
    meta_bytes.push(...page.servers.map(({ _meta }) => Buffer.byteLength(JSON.stringify(_meta))));
    const { nextCursor } = page.metadata;
    path = nextCursor && `/v0.1/servers?limit=50&version=latest&cursor=${nextCursor}`;
  }
  return { requests, meta_bytes };
}

/** Saves answers of the service as files; returns the requests for them. */
async function saveAnswers({ url }: Server, folder: string, requests: readonly Sent[]): Promise<Sent[]> {
  mkdirSync(folder);
  const saved: Sent[] = [];
  for (const [at, { path = '' }] of requests.entries()) {
    writeFileSync(join(folder, `${at}.json`), await (await fetch(url + path)).text());
    saved.push(get(`/${folder.split('/').at(-1)}/${at}.json`));
  }
  return saved;
}

const toMetaRow = (bytes: readonly number[]): Row => ({
  what: `_meta of an entry, of ${whole(bytes.length)}`,
  figure: `${whole(bytes.toSorted((a, b) => a - b)[Math.floor(bytes.length / 2)] ?? 0)} bytes, at most ${whole(Math.max(...bytes))}`,
  goal: '<= 2048 bytes',
  isMet: Math.max(...bytes) <= 2048,
});

const toCheckRow = ({ check_s, start_s }: CheckTimes): Row => ({
  what: `dossier check of a lock of ${locked} listings, process start included`,
  figure: `${check_s.toFixed(2)} s; dossier config ${start_s.toFixed(2)} s`,
});

const toDeliveryRow = ({ delivered, cpu_us, bare }: DeliveryRates): Row => ({
  what: 'messages to one webhook on loopback; share of bare POSTs one after the other',
  figure: `${whole(delivered)}/s, ${whole(cpu_us)} us; bare ${whole(bare)}/s`,
  share: (delivered / bare).toFixed(2),
});

async function measureReads(
  plan: Plan,
  folder: string,
  service: Server,
): Promise<{ rows: Row[]; meta_bytes: number[] }> {
  const names = toHandles(plan.listings, byNames).map((handle) => get(pathOf(handle)));
  const { requests, meta_bytes } = await readPages(service);
  const list = await saveAnswers(service, join(folder, 'list'), requests);
  const one = await saveAnswers(service, join(folder, 'names'), names);
  return withServers(
    { hello: () => startReference('hello'), files: () => startReference('static', folder) },
    async ({ hello, files }) => {
      const cases: Case[] = [
        { name: reference, server: hello, requests: [get('/')] },
        { name: 'the same lists as files', server: files, requests: list },
        { name: 'this service: /v0.1/servers?limit=50, 20 pages', server: service, requests },
        { name: 'the same entries as files', server: files, requests: one },
        { name: 'this service: by name, 500 listings', server: service, requests: names },
      ];
      return { rows: [...(await compare(cases, plan)).rows], meta_bytes };
    },
  );
}

/** What other tools read and get: the registry API, lock files, webhooks. */
export async function measureApi(plan: Plan): Promise<Part> {
  const { url } = await prepareSqlite(plan.folder, plan.listings);
  const folder = mkdtempSync(join(tmpdir(), 'dossier-api-'));
  try {
    const service = await startService(url);
    const rows: Row[] = [];
    try {
      const reads = await measureReads(plan, folder, service);
      rows.push(...reads.rows, toMetaRow(reads.meta_bytes));
      rows.push(toCheckRow(await measureCheck(service, toHandles(plan.listings, locked), plan.rounds)));
    } finally {
      await service.stop();
    }
    const changed = join(plan.folder, 'changed.db');
    copyFileSync(url.slice('file:'.length), changed);
    rows.push(toDeliveryRow(await measureDeliveries(`file:${changed}`)));
    removeDatabase(changed);
    return {
      title: `What other tools read, ${whole(plan.listings)} listings; share of a ${reference}`,
      rows,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
