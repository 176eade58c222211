import type { ImportedSignal } from '../../evidence/listing/listing-document.ts';
import type { Db } from '../engine.ts';
import type { ImportedSignalTable } from '../schema.ts';
import type { SourceSignals } from '../store.ts';
import { inChunks } from './in-chunks.ts';
import { precompileQuery } from './precompiled-query.ts';

/** Signals as one row keeps them: what all of them say is said once. */
interface KeptSignals {
  readonly shared: Partial<ImportedSignal>;
  readonly signals: readonly Partial<ImportedSignal>[];
}

const pick = (signal: ImportedSignal, isPicked: (name: keyof ImportedSignal) => boolean) =>
  Object.fromEntries(Object.entries(signal).filter(([name]) => isPicked(name as keyof ImportedSignal)));

function toKept(signals: readonly ImportedSignal[]): KeptSignals {
  const [first] = signals;
  if (!first) return { shared: {}, signals };
  const names = Object.keys(first) as (keyof ImportedSignal)[];
  const shared = new Set(names.filter((name) => signals.every((signal) => signal[name] === first[name])));
  return {
    shared: pick(first, (name) => shared.has(name)),
    signals: signals.map((signal) => pick(signal, (name) => !shared.has(name))),
  };
}

function toSignals(kept: string): ImportedSignal[] {
  const { shared, signals } = JSON.parse(kept) as KeptSignals;
  return signals.map((signal) => ({ ...signal, ...shared }) as ImportedSignal);
}

const readRows = precompileQuery((db, handle: string) =>
  db.selectFrom('imported_signal').selectAll().where('handle', '=', handle).orderBy('source'),
);

/** The imported signals of a listing, source by source. */
export const readSignals = async (db: Db, handle: string): Promise<ImportedSignal[]> =>
  (await readRows(db, handle)).flatMap(({ signals }) => toSignals(signals));

const putRows = precompileQuery((db, rows: readonly ImportedSignalTable[]) =>
  db
    .insertInto('imported_signal')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['handle', 'source']).doUpdateSet(({ ref }) => ({ signals: ref('excluded.signals') })),
    ),
);

/** Replaces what these sources say of these listings. */
export const writeSignals = (db: Db, rows: readonly SourceSignals[]): Promise<void> =>
  inChunks(rows, (chunk) =>
    putRows(
      db,
      chunk.map((row) => ({ ...row, signals: JSON.stringify(toKept(row.signals)) })),
    ),
  );
