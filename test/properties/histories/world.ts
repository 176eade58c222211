import { createReceiptKey } from '../../../src/receipt/index.ts';
import { type Method, openPlaces, type Places } from './places.ts';
import { createRegistry, handleOf, type Name, type Registry } from './registry.ts';
import { openService, type Service } from './service.ts';

/** A challenge that was asked for, with its secret. */
export interface Line {
  readonly name: Name;
  readonly method: Method;
  readonly text: string;
  readonly capability: string;
  readonly id: string;
}

/** A rating that was accepted. */
export interface Rated {
  readonly id: string;
  readonly by: Name;
  readonly about: Name;
  readonly interaction: string;
  readonly at: string;
}

/** What was answered: the status, and the body as far as steps read it. */
export interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly code?: string;
    readonly status?: string;
    readonly check?: { readonly result: string };
    readonly rating_id?: string;
    readonly group?: string;
  };
}

/** A service, the hosts that it reads, and all that the people of a history know. */
export interface World {
  readonly registry: Registry;
  readonly places: Places;
  readonly service: Service;
  readonly lines: Line[];
  readonly ratings: Rated[];
  /** Lines `receipt-key` of two keys. */
  readonly keyLines: readonly string[];
  /** Checkpoints that an outsider keeps. */
  readonly kept: string[];
  /** What happened, one step a line. */
  readonly told: string[];
  post(node: number, path: string, input: object, capability?: string): Promise<Answered>;
  /** The lines that were asked for a listing, newest first. */
  linesOf(name: Name): Line[];
  /** A capability of a listing that works. */
  findCapability(name: Name): Promise<string | undefined>;
  close(): Promise<void>;
}

let keyLines: readonly string[] | undefined;

/** Opens a world in which nothing is claimed; close it after use. */
export async function openWorld(apart_s: number): Promise<World> {
  keyLines ??= (await Promise.all(['k1', 'k2'].map(createReceiptKey))).map(({ line }) => line);
  const registry = createRegistry();
  const places = await openPlaces(registry);
  const service = await openService(places, registry.entries, apart_s);
  const world: World = {
    registry,
    places,
    service,
    keyLines,
    lines: [],
    ratings: [],
    kept: [],
    told: [],
    async post(node, path, input, capability) {
      const response = await service.nodes[node === 0 ? 0 : 1].app.request(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(capability && { authorization: `Bearer ${capability}` }),
        },
        body: JSON.stringify(input),
      });
      return { status: response.status, body: (await response.json()) as Answered['body'] };
    },
    linesOf: (name) => world.lines.filter((line) => line.name === name).toReversed(),
    async findCapability(name) {
      const working = await service.directory.store.claims.capabilities(handleOf(name));
      const active = new Set(working.filter(({ state }) => state === 'active').map(({ id }) => id));
      return world.linesOf(name).find(({ id }) => active.has(id))?.capability;
    },
    async close() {
      await service.close();
      await places.close();
    },
  };
  return world;
}
