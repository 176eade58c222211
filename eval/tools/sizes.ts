import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openContext } from '../../src/app/server.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Context } from '../../src/context.ts';
import { runImport } from '../../src/imports/import.ts';
import { compareAgents } from '../../src/tools/compare-agents.ts';
import { getAgent } from '../../src/tools/get-agent.ts';
import { listTags } from '../../src/tools/list-tags.ts';
import { searchAgents } from '../../src/tools/search-agents.ts';
import { callTool, type Tool } from '../../src/tools/tool.ts';
import { readCopy } from '../search/listings.ts';

/**
 * What one form of a tool's answers takes, in tokens of four bytes, and the most that its median may take.
 */
export interface Measured {
  readonly what: string;
  readonly median: number;
  readonly largest: number;
  readonly goal: number | undefined;
}

/** The most tokens that the median answer may take, as JSON and as text. */
const goals = {
  get_agent: { json: 220, text: 220 },
  'get_agent in full': { json: undefined, text: undefined },
  'search_agents, 20 hits': { json: 2_100, text: 1_700 },
  'compare_agents, three': { json: 800, text: 800 },
  list_tags: { json: 1_000, text: 400 },
} as const;

const words = [
  'sms',
  'email',
  'payments',
  'weather',
  'database',
  'github',
  'browser',
  'search',
  'calendar',
  'crypto',
  'translate',
  'maps',
  'pdf',
  'slack',
  'security',
  'analytics',
  'memory',
  'kubernetes',
  'images',
  'news',
];
const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const tokens = (text: string) => Buffer.byteLength(text) / 4;

async function openCopy(copy: string, folder: string): Promise<Context> {
  const settings = {
    DATABASE_URL: `file:${join(folder, 'sizes.db')}`,
    LOG_LEVEL: 'silent',
    REGISTRY_URL: 'off',
  };
  const context = await openContext(readConfig(settings, '0.0.0-evaluation'), 'make');
  await runImport(context, { source: copy });
  return context;
}

/** Answers of a tool to many inputs, in both forms; inputs that it refuses are left out. */
async function measure(
  what: keyof typeof goals,
  { tool, inputs }: { tool: Tool; inputs: readonly object[] },
  context: Context,
): Promise<Measured[]> {
  const answers: Record<string, unknown>[] = [];
  for (const input of inputs) {
    const answer = await callTool(tool, input, context).catch(() => undefined);
    if (answer) answers.push(answer);
  }
  const forms = {
    json: answers.map((answer) => tokens(JSON.stringify(answer))),
    text: answers.map((answer) => tokens((tool.toText ?? JSON.stringify)(answer))),
  };
  return (['json', 'text'] as const).map((form) => ({
    what: `${what}, ${form}, ${answers.length} answers`,
    median: Math.round(median(forms[form])),
    largest: Math.round(Math.max(...forms[form])),
    goal: goals[what][form],
  }));
}

/**
 * How long the answers of the tools that read are over a registry copy, for some of its listings, evenly
 * picked.
 */
export async function measureSizes(copy: string, most: number): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-sizes-'));
  const context = await openCopy(copy, folder);
  const all = readCopy(copy).map(({ handle }) => handle);
  const step = Math.max(1, Math.floor(all.length / most));
  const handles = all.filter((_, at) => at % step === 0);
  const asks = {
    get_agent: { tool: getAgent, inputs: handles.map((handle) => ({ handle })) },
    'get_agent in full': {
      tool: getAgent,
      inputs: handles.map((handle) => ({ handle, detail: 'full' })),
    },
    'search_agents, 20 hits': { tool: searchAgents, inputs: words.map((query) => ({ query })) },
    'compare_agents, three': {
      tool: compareAgents,
      inputs: handles.slice(0, -2).map((_, at) => ({ handles: handles.slice(at, at + 3) })),
    },
    list_tags: { tool: listTags, inputs: [{}] },
  };
  const measured: Measured[] = [];
  for (const [what, ask] of Object.entries(asks))
    measured.push(...(await measure(what as keyof typeof goals, ask as never, context)));
  await context.store.close();
  rmSync(folder, { recursive: true, force: true });
  return measured;
}
