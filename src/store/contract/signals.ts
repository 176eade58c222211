import type { ImportedSignal } from '../../evidence/listing/listing-document.ts';

/** What one source reports about a listing; it replaces the source's earlier report. */
export interface SourceSignals {
  readonly handle: string;
  readonly source: string;
  readonly signals: readonly ImportedSignal[];
}
