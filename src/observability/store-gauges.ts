import { Gauge, type Registry } from 'prom-client';

/** Figures read from the store for each scrape. */
export interface StoreFigures {
  readonly listings: number;
  readonly claims: Readonly<Record<string, number>>;
  readonly ratings: number;
  readonly open_feedback: number;
  readonly open_reports: number;
  readonly contested_opt_outs: number;
  /** When any node last looked at a listing; undefined before the first look. */
  readonly lastLookAt_ms?: number;
  /** The last audit that finished; undefined where none has. */
  readonly lastAudit?: { readonly finishedAt_ms: number; readonly entries: number; readonly faults: number };
  /** The last import that completed; undefined where none has. */
  readonly lastImport?: { readonly finishedAt_ms: number; readonly counts: Readonly<Record<string, number>> };
}

/** Reads the figures of one scrape; rejects if the database does not answer. */
export type ReadStoreFigures = () => Promise<StoreFigures>;

function createAuditGauges(gauge: (name: string, help: string) => Gauge) {
  const finishedAt = gauge('dossier_audit_last_finished_timestamp_seconds', 'When the last audit finished');
  const entries = gauge('dossier_audit_entries', 'Log entries that the last audit compared');
  const faults = gauge(
    'dossier_audit_faults',
    'Differences between what is shown and the transparency log that the last audit found',
  );
  return (audit: NonNullable<StoreFigures['lastAudit']>) => {
    finishedAt.set(audit.finishedAt_ms / 1000);
    entries.set(audit.entries);
    faults.set(audit.faults);
  };
}

function createWrittenGauges(gauge: (name: string, help: string) => Gauge, registers: Registry[]) {
  const ratings = gauge('dossier_ratings', 'Current ratings');
  const feedback = gauge('dossier_feedback_open', 'Feedback that no operator has closed, reports left out');
  const reports = gauge('dossier_reports_open', 'Reports that no operator has closed');
  const contested = gauge(
    'dossier_opt_outs_contested',
    'Opt-out lines of somebody who does not hold the claim of the listing',
  );
  const claims = new Gauge({
    name: 'dossier_claims',
    help: 'Claims by state',
    labelNames: ['state'],
    registers,
  });
  return (figures: StoreFigures) => {
    ratings.set(figures.ratings);
    feedback.set(figures.open_feedback);
    reports.set(figures.open_reports);
    contested.set(figures.contested_opt_outs);
    for (const [state, count] of Object.entries(figures.claims)) claims.set({ state }, count);
  };
}

/** Gauges of the store, set by `read`; they keep their last values if the database stops answering. */
export function createStoreGauges(registers: Registry[], readFigures: ReadStoreFigures) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const up = gauge(
    'dossier_store_up',
    'Whether the database answers; where it does not, its other values are old',
  );
  const listings = gauge('dossier_listings', 'Listings that are shown');
  const importedAt = gauge(
    'dossier_import_last_success_timestamp_seconds',
    'When the last import that ended well did',
  );
  const lookedAt = gauge(
    'dossier_observer_last_look_timestamp_seconds',
    'When any node last looked at a listing itself',
  );
  const setAudit = createAuditGauges(gauge);
  const setWritten = createWrittenGauges(gauge, registers);
  const counts = new Gauge({
    name: 'dossier_import_last_success',
    help: 'Counts of the last import that ended well',
    labelNames: ['count'],
    registers,
  });
  const readAll = async () => {
    const figures = await readFigures();
    listings.set(figures.listings);
    setWritten(figures);
    if (figures.lastAudit) setAudit(figures.lastAudit);
    if (figures.lastLookAt_ms !== undefined) lookedAt.set(figures.lastLookAt_ms / 1000);
    if (!figures.lastImport) return;
    importedAt.set(figures.lastImport.finishedAt_ms / 1000);
    for (const [count, value] of Object.entries(figures.lastImport.counts)) counts.set({ count }, value);
  };
  return {
    read: () =>
      readAll().then(
        () => up.set(1),
        () => up.set(0),
      ),
  };
}
