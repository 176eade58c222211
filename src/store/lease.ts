import { randomUUID } from 'node:crypto';

/** Work that this node has taken on, so that no other node does it too. */
export interface Lease {
  /** The lease's name in the database: `<node>/<uuid>`. */
  readonly owner: string;
  /** Ends the lease in this process; the caller clears or replaces its name in the database. */
  end(): void;
}

/** The leases of one store's node. They end with `end()`, or with the process. */
export interface Leases {
  take(): Lease;
  /** Whether a lease is still held, here or elsewhere. A node that cannot be reached is taken to hold it. */
  isHeld(owner: string): Promise<boolean>;
}

/** This process among those on a database. */
interface Node {
  readonly node: string;
  isPresent(node: string): Promise<boolean>;
}

/** The leases of a node; they live in its memory. */
export function createLeases({ node, isPresent }: Node): Leases {
  const held = new Set<string>();
  return {
    take() {
      const owner = `${node}/${randomUUID()}`;
      held.add(owner);
      return { owner, end: () => void held.delete(owner) };
    },
    async isHeld(owner) {
      const holder = owner.slice(0, owner.lastIndexOf('/'));
      return holder === node ? held.has(owner) : isPresent(holder);
    },
  };
}
