const deepest = 100;

const isDeeperThan = (limit: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (limit === 0 || Object.values(value).some((inner) => isDeeperThan(limit - 1, inner)));

/** A lone surrogate has no UTF-8 form, so it could neither be digested (RFC 8785) nor sent. */
const mayBeIllFormed = /\\u[dD][89a-fA-F]/;

function toWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(toWellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.toWellFormed(), toWellFormed(inner)]),
  );
}

/**
 * JSON of a foreign host as a value; undefined if it is none, or nested deeper than 100 levels. Lone surrogates become
 * U+FFFD.
 */
export function parseForeignJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (isDeeperThan(deepest, value)) return undefined;
  return mayBeIllFormed.test(text) ? toWellFormed(value) : value;
}
