/** The newest revision of MCP without initialize. */
export const modernRevision = '2026-07-28';

/**
 * The revisions of MCP that begin with initialize, newest first. The SDK has the same list. With this copy,
 * checks need not load the SDK.
 */
export const legacyRevisions = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;
