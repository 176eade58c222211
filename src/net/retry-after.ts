/** A delay or a date (RFC 9110 section 10.2.3). */
export function readRetryAfter_s(value: string | null | undefined, now_ms: number): number | undefined {
  if (!value) return undefined;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - now_ms) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
