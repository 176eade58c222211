const deepest = 100;

/** Whether arrays and objects of a value are nested in more levels than the limit. */
export const isDeeperThan = (limit: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (limit === 0 || Object.values(value).some((inner) => isDeeperThan(limit - 1, inner)));

const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd');

/**
 * A value of JSON with U+FFFD in place of what a text cannot have here: a lone surrogate has no UTF-8 form, so it could
 * neither be digested (RFC 8785) nor sent, and PostgreSQL stores no NUL.
 */
export function toStorable(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(toStorable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [storable(name), toStorable(inner)]),
  );
}

const mayNeedReplacing = /\\u(0000|[dD][89a-fA-F])/;

/** The value that JSON parses to, as it can be stored. Throws a SyntaxError if it is no JSON. */
export function parseStorable(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayNeedReplacing.test(text) ? toStorable(value) : value;
}

/**
 * JSON of a foreign host as a value; undefined if it is none, or nested deeper than 100 levels. Lone surrogates and
 * NUL become U+FFFD.
 */
export function parseForeignJson(text: string): unknown {
  try {
    const value = parseStorable(text);
    return isDeeperThan(deepest, value) ? undefined : value;
  } catch {
    return undefined;
  }
}
