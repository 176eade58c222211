/** The newest revision of MCP without initialize. */
export const modernRevision = '2026-07-28';

/**
 * The revisions of MCP that begin with initialize, newest first, as clients go on with them: those of the
 * SDK, which a check need not load (test/mcp/eras.test.ts).
 */
export const legacyRevisions = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;
