import { kinds } from '../index.ts';
import { type RecordedKind, recordedKinds } from './kinds.ts';

const byName = new Map<string, RecordedKind>([...recordedKinds, ...kinds].map((kind) => [kind.kind, kind]));

/** The definition of a kind of fact, observed or imported; undefined for one that nobody defined. */
export const kindOf = (name: string): RecordedKind | undefined => byName.get(name);
