import { cleanText } from '../../evidence/text/sanitize.ts';

const deepest = 32;
const nothingToClean = /^(?:[\x20-\x5b\x5d-\x7e]|\\["\\])*$/;

function clean(value: unknown, depth = 0): unknown {
  if (depth > deepest) throw new RangeError('too deep');
  if (typeof value === 'string') return cleanText(value).text;
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key).text, clean(item, depth + 1)]),
  );
}

/**
 * A server.json as JSON text with every string in it cleaned (docs/trust.md section 6). Most need no cleaning, which
 * their JSON shows at once. Undefined if it is nested too deeply.
 */
export function toCleanJson(server: object): string | undefined {
  try {
    const json = JSON.stringify(server);
    return nothingToClean.test(json) ? json : JSON.stringify(clean(server));
  } catch {
    return undefined;
  }
}
