import { named } from '../../text/markdown-text.ts';
import { kinds } from '../index.ts';
import { type RecordedKind, recordedKinds } from './kinds.ts';

const byName = new Map<string, RecordedKind>([...recordedKinds, ...kinds].map((kind) => [kind.kind, kind]));

/** The definition of a kind of fact, observed or imported; undefined for one that nobody defined. */
export const kindOf = (name: string): RecordedKind | undefined => byName.get(name);

/** Kinds whose values are words of a publisher, a registry or a host. */
const foreignKinds: ReadonlySet<string> = new Set([
  ...['registry.status_message', 'record.unread_fields', 'record.transports', 'record.package_types'],
  ...[
    'record.repository',
    'card.a2a',
    'endpoint.protocol',
    'price.capability',
    'security.contact',
    'terms.url',
  ],
]);

/** A value of a kind, in quotes if others wrote it and it could be read as ours. */
export const toShownValue = (kind: string, text: string): string =>
  foreignKinds.has(kind) || !byName.has(kind) ? named(text) : text;
