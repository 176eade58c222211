import type { ImportedSignal } from '../../../evidence/listing/listing-document.ts';
import type { SourceSignals } from '../../contract/signals.ts';
import type { Db } from '../../engine.ts';
import type { ImportedSignalRow } from '../../schema/listings.ts';
import { inChunks } from '../in-chunks.ts';
import { precompileQuery } from '../precompiled-query.ts';

/** Signals as one row stores them: fields with the same value in all of them are stored once. */
interface StoredSignals {
  readonly shared: Partial<ImportedSignal>;
  readonly signals: readonly Partial<ImportedSignal>[];
}

const pick = (signal: ImportedSignal, isPicked: (name: keyof ImportedSignal) => boolean) =>
  Object.fromEntries(Object.entries(signal).filter(([name]) => isPicked(name as keyof ImportedSignal)));

function encode(signals: readonly ImportedSignal[]): StoredSignals {
  const [first] = signals;
  if (!first) return { shared: {}, signals };
  const names = Object.keys(first) as (keyof ImportedSignal)[];
  const shared = new Set(names.filter((name) => signals.every((signal) => signal[name] === first[name])));
  return {
    shared: pick(first, (name) => shared.has(name)),
    signals: signals.map((signal) => pick(signal, (name) => !shared.has(name))),
  };
}

/** The signals of one source from the `signals` column; none where it has none. */
export function decodeSignals(stored: string | null): ImportedSignal[] {
  if (stored === null) return [];
  const { shared, signals } = JSON.parse(stored) as StoredSignals;
  return signals.map((signal) => Object.assign(signal, shared) as ImportedSignal);
}

const putRows = precompileQuery((db, rows: readonly ImportedSignalRow[]) =>
  db
    .insertInto('imported_signal')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['handle', 'source']).doUpdateSet(({ ref }) => ({ signals: ref('excluded.signals') })),
    ),
);

/** Replaces what these sources report about these listings. */
export const writeSignals = (db: Db, rows: readonly SourceSignals[]): Promise<void> =>
  inChunks(rows, (chunk) =>
    putRows(
      db,
      chunk.map((row) => ({ ...row, signals: JSON.stringify(encode(row.signals)) })),
    ),
  );
