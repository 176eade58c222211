const fewest_bytes = 8;

export const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

function shortenText(text: string, most_bytes: number): string {
  let end = Math.min(text.length, most_bytes);
  const cut = () => `${text.slice(0, end).toWellFormed()}…`;
  while (end > 0 && sizeOf(cut()) > most_bytes) end -= Math.max(1, Math.ceil(end / 8));
  return end > 0 ? cut() : '';
}

function shortenList(list: readonly unknown[], most_bytes: number): unknown[] {
  let left_bytes = most_bytes - 2;
  const end = list.findIndex((item) => {
    left_bytes -= sizeOf(item) + 1;
    return left_bytes < 0;
  });
  const room_bytes = most_bytes - 3;
  return end === 0 && room_bytes >= fewest_bytes ? [shorten(list[0], room_bytes)] : list.slice(0, end);
}

/** Small members first. */
function shortenMembers(members: object, most_bytes: number): object {
  const bySize = Object.entries(members)
    .map(([name, value]) => ({ name, value, before: sizeOf(name) + 2, size: sizeOf(value) }))
    .sort((a, b) => a.before + a.size - b.before - b.size);
  const kept = new Map<string, unknown>();
  let left_bytes = most_bytes - 2;
  for (const [at, { name, value, before, size }] of bySize.entries()) {
    const room_bytes = Math.floor(left_bytes / (bySize.length - at)) - before;
    if (size > room_bytes && room_bytes < fewest_bytes) continue;
    kept.set(name, shorten(value, room_bytes));
    left_bytes -= before + sizeOf(kept.get(name));
  }
  return Object.fromEntries(
    Object.keys(members).flatMap((name) => (kept.has(name) ? [[name, kept.get(name)]] : [])),
  );
}

/** `most_bytes` must be at least `fewest_bytes`. */
export function shorten(value: unknown, most_bytes: number): unknown {
  if (sizeOf(value) <= most_bytes) return value;
  if (typeof value === 'string') return shortenText(value, most_bytes);
  if (Array.isArray(value)) return shortenList(value, most_bytes);
  if (typeof value === 'object' && value !== null) return shortenMembers(value, most_bytes);
  return null;
}
