/** The newest without initialize. */
export const modernRevision = '2026-07-28';

/** With initialize, newest first: the SDK's list, which checks need not load. */
export const legacyRevisions = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;
