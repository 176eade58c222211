import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen, openContext } from '../../src/app/server.ts';
import { readConfig } from '../../src/config/config.ts';
import { defaultTimeouts, type Timeouts } from '../../src/config/timeouts.ts';
import type { Context } from '../../src/context.ts';
import { type App, createApp } from '../../src/http/app.ts';
import { runImport } from '../../src/imports/import.ts';
import { createDomainReader } from '../../src/net/domains.ts';
import { createSelectionJudge } from '../../src/selections/judging.ts';
import { createDatabase } from './database.ts';
import { type RegistryEntry, seedEntries } from './entries.ts';
import { type Operations, operationsOf } from './operations.ts';

/**
 * The options of `openDirectory`: the listings of its registry, its settings, where hosts are, a port to
 * listen on, time-outs, its clock.
 */
export interface DirectoryOptions {
  /** The two listings of the specification by default. */
  readonly entries?: readonly RegistryEntry[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Servers that are reached under the names of other hosts. */
  readonly hosts?: Readonly<Record<string, { readonly url: string }>>;
  readonly listening?: boolean;
  readonly timeouts?: Partial<Timeouts>;
  /** The clock moves only by `wait`, so that nothing ends because the machine is slow. */
  readonly isClockStill?: boolean;
}

/**
 * Time-outs that a test does not shorten are so long that none ends during it, however slow the machine is.
 */
const patient = {
  ...Object.fromEntries(Object.keys(defaultTimeouts).map((name) => [name, 600_000])),
  drain_ms: defaultTimeouts.drain_ms,
};

/**
 * A whole real service in this process: imported listings, every route, a clock that tests move, what the
 * operator and the background do.
 */
export interface Directory extends Operations {
  readonly app: App;
  /** Where it listens; PUBLIC_URL's value where it does not. */
  readonly url: string;
  readonly context: Context;
  readonly store: Context['store'];
  /** Posts JSON; a capability goes into Authorization. */
  post(path: string, body: unknown, capability?: string): Promise<Response>;
  /** Imports more entries, as the next run of the import would. */
  importEntries(entries: readonly RegistryEntry[]): Promise<void>;
  /** Judges all listings by the views, as the service does every ten minutes; after an import it is done. */
  judgeViews(): Promise<void>;
  /** Moves the clock. */
  wait(seconds: number): void;
}

/** The listing document of a handle, as its address with `.json` answers it. */
export const documentOf = async (
  { app }: Pick<Directory, 'app'>,
  handle: string,
): Promise<Record<string, unknown>> =>
  (await (await app.request(`/agents/${handle}.json`)).json()) as Record<string, unknown>;

/** What a tool answers to a call over HTTP, with a capability if there is one: its answer, or the problem. */
export const callTool = async <T = Record<string, unknown>>(
  { post }: Pick<Directory, 'post'>,
  tool: string,
  input: object,
  capability?: string,
): Promise<T> => (await (await post(`/api/tools/${tool}`, input, capability)).json()) as T;

async function openServing(opened: Context, listening: boolean) {
  const running = listening ? await listen(opened) : undefined;
  const context = running?.context ?? opened;
  const app = createApp(context);
  return {
    app,
    context,
    stop: async () => {
      await running?.stop();
      await app.close();
    },
  };
}

/** Opens a directory; close it after use. */
export async function openDirectory(options: DirectoryOptions = {}): Promise<Directory> {
  const {
    entries = seedEntries,
    environment = {},
    hosts = {},
    listening = false,
    timeouts,
    isClockStill = false,
  } = options;
  const folder = mkdtempSync(join(tmpdir(), 'dossier-test-'));
  const registry = join(folder, 'registry.json');
  const settings = {
    DATABASE_URL: environment.DATABASE_URL ?? (await createDatabase()),
    LOG_LEVEL: 'silent',
    REGISTRY_URL: `file:${registry}`,
    REGISTRY_NAME: 'registry.modelcontextprotocol.io',
    PACKAGE_REGISTRIES: '{}',
    OBSERVE: 'off',
    HOST_OVERRIDES: JSON.stringify(
      Object.fromEntries(Object.entries(hosts).map(([at, { url }]) => [at, url])),
    ),
    ...(listening && { PORT: '0' }),
  };
  const opened = await openContext(readConfig({ ...settings, ...environment }, '0.0.0-test'), 'make');
  let ahead_ms = 0;
  const opened_ms = Date.now();
  const clock = () => new Date((isClockStill ? opened_ms : Date.now()) + ahead_ms);
  const shortened = { ...opened.timeouts, ...patient, ...timeouts };
  const domains = createDomainReader(opened.config, shortened);
  const moved = { ...opened, clock, timeouts: shortened, domains };
  const judge = createSelectionJudge(moved);
  const importEntries = async (listed: readonly RegistryEntry[]) => {
    writeFileSync(registry, JSON.stringify(listed));
    const { state, error } = await runImport(moved);
    if (state !== 'done') throw new Error(`the import is ${state}: ${error}`);
    await judge.pass();
  };
  if (entries.length > 0) await importEntries(entries);
  const { app, context, stop } = await openServing(moved, listening);
  const operations = operationsOf(context, listening ? context.config.publicUrl : undefined);
  return {
    ...operations,
    app,
    url: context.config.publicUrl,
    context,
    store: context.store,
    post: async (path, body, capability) =>
      app.request(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(capability && { authorization: `Bearer ${capability}` }),
        },
        body: JSON.stringify(body),
      }),
    importEntries,
    judgeViews: judge.pass,
    wait: (seconds) => {
      ahead_ms += seconds * 1000;
    },
    async close() {
      await operations.close();
      await stop();
      await context.store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
