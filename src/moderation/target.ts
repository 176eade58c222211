import { isIP } from 'node:net';
import { isHandle } from '../evidence/handle.ts';
import type { ModerationTarget } from '../evidence/moderation/moderation.ts';
import { isBlockable } from './network.ts';

const namespace = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,198}[A-Za-z0-9])?$/;
/** `host/owner` of a forge, or a domain. */
const account = /^[a-z0-9-]+(\.[a-z0-9-]+)+(\/[^/\s]+)?$/;

const named = {
  response: (text: string) => text !== '',
  namespace: (text: string) => namespace.test(text),
  account: (text: string) => account.test(text),
  network: isBlockable,
} as const;

/**
 * What the operator means: a rating by its id, a listing by its handle, a capability by its id, and with a word in front
 * `response:<rating id>`, `namespace:co.example`, `account:github.com/example`, `account:example.com`, `network:192.0.2.0/24`.
 * Undefined for anything else.
 */
export function readTarget(text: string): ModerationTarget | undefined {
  const [, kind, rest = ''] = /^(response|namespace|account|network):(.*)$/.exec(text) ?? [];
  if (kind !== undefined) {
    const target_kind = kind as keyof typeof named;
    const target = target_kind === 'response' ? rest : rest.toLowerCase();
    return named[target_kind](target) ? { target_kind, target } : undefined;
  }
  if (/^[0-9a-f]{16}$/.test(text)) return { target_kind: 'capability', target: text };
  if (/^[0-9a-f-]{36}$/.test(text)) return { target_kind: 'rating', target: text };
  return isHandle(text) && isIP(text) === 0 ? { target_kind: 'listing', target: text } : undefined;
}
