import { legacy, type Message, modern } from '../test/support/mcp-requests.ts';
import type { Sent } from './load.ts';

const toSent = ({ headers, body }: Message): Sent => ({ method: 'POST', path: '/api/mcp', headers, body });

/** What a client of the legacy era sends once it has initialized. */
export function toLegacy(method: string, params: object = {}): Sent {
  const { headers, body } = legacy(method, params);
  return toSent({ headers: { ...headers, 'mcp-protocol-version': '2025-11-25' }, body });
}

/** What a client of 2026-07-28 sends. */
export const toModern = (method: string, params: object = {}): Sent => toSent(modern(method, params));

/** A call of get_agent. */
export const toCall = (handle: string) => ({ name: 'get_agent', arguments: { handle } });
