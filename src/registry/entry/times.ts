const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/** A recorded RFC 3339 time, in UTC with milliseconds; undefined for any other text and for Go's zero time. */
export function toTime(recorded: string | undefined): string | undefined {
  const time = recorded && form.test(recorded) ? Date.parse(recorded) : Number.NaN;
  return time > 0 ? new Date(time).toISOString() : undefined;
}

/** The latest of times in one format; '' if there are none. */
export const newest = (times: readonly string[]): string => [...times].sort().at(-1) ?? '';

/** The earliest of times in one format; '' if there are none. */
export const oldest = (times: readonly string[]): string => [...times].sort()[0] ?? '';
