import type autocannon from 'autocannon';

/** One way to overload a service: what is sent, over how many connections. */
export interface Attack {
  /** For the heading of the table. */
  readonly title: string;
  readonly connections: number;
  /** Connections that send a header a second and never end it. */
  readonly slowConnections: number;
  /**
   * The networks that it comes from, as a proxy names them; none: directly, from the address of this machine.
   */
  readonly networks: readonly string[];
}

/** All attacks by the name of `--attack`. */
export const attacks = {
  searches: {
    title: 'four networks search at full rate, 1,000 slow connections',
    connections: 64,
    slowConnections: 1000,
    networks: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '100.64.0.1'],
  },
  networks: {
    title: '250 networks search at full rate, each over a connection',
    connections: 250,
    slowConnections: 0,
    networks: Array.from({ length: 250 }, (_, n) => `100.${n}.0.1`),
  },
  connections: {
    title: 'one network searches at full rate over 2,000 connections',
    connections: 2000,
    slowConnections: 0,
    networks: [],
  },
} satisfies Record<string, Attack>;

/** The name of an attack. */
export type AttackName = keyof typeof attacks;

/**
 * Searches for ten frequent words that no listing has together, the most expensive ones, each from the next
 * network.
 */
export const toSearches = ({ networks }: Attack): autocannon.Request[] =>
  Array.from({ length: 1000 }, (_, n) => {
    const network = networks[n % networks.length];
    return {
      method: 'POST',
      path: '/api/tools/search_agents',
      headers: { 'content-type': 'application/json', ...(network && { 'x-forwarded-for': network }) },
      body: JSON.stringify({ query: `server data api tools search agent file web code -mcp ${n}` }),
    };
  });
