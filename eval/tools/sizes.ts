import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { runImport } from '../../src/registry/import.ts';
import { openContext } from '../../src/server.ts';
import { getAgent } from '../../src/tools/get-agent.ts';
import { callTool } from '../../src/tools/tool.ts';
import { readCopy } from '../search/listings.ts';

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const tokens = (text: string) => Buffer.byteLength(text) / 4;

/** Median and largest tokens of the answers of get_agent for listings of a registry copy, evenly picked. */
export async function measureSizes(copy: string, most: number) {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-sizes-'));
  const settings = {
    DATABASE_URL: `file:${join(folder, 'sizes.db')}`,
    LOG_LEVEL: 'silent',
    REGISTRY_URL: 'off',
  };
  const context = await openContext(readConfig(settings, '0.0.0-evaluation'));
  await runImport(context, { source: copy });
  const all = readCopy(copy);
  const step = Math.max(1, Math.floor(all.length / most));
  const sizes: { json: number; text: number; full: number }[] = [];
  for (let at = 0; at < all.length; at += step) {
    const handle = all[at]?.handle;
    const answer = await callTool(getAgent, { handle }, context).catch(() => undefined);
    if (!answer) continue;
    const full = JSON.stringify(await callTool(getAgent, { handle, detail: 'full' }, context));
    const text = getAgent.toText?.(answer) ?? '';
    sizes.push({ json: tokens(JSON.stringify(answer)), text: tokens(text), full: tokens(full) });
  }
  await context.store.close();
  rmSync(folder, { recursive: true, force: true });
  const of = (form: 'json' | 'text' | 'full') => {
    const values = sizes.map((size) => size[form]);
    return { median: Math.round(median(values)), largest: Math.round(Math.max(...values)) };
  };
  return { listings: sizes.length, json: of('json'), text: of('text'), full: of('full') };
}
