const fewest_bytes = 8;

export const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

const nameSize = (name: string) => sizeOf(name) + 2;

function shortenText(text: string, most_bytes: number): string {
  let end = Math.min(text.length, most_bytes);
  const cut = () => `${text.slice(0, end).toWellFormed()}…`;
  while (end > 0 && sizeOf(cut()) > most_bytes) end -= Math.max(1, Math.ceil(end / 8));
  return end > 0 ? cut() : '';
}

/** If not even the first item fits, it is shortened, or left out if too little room is left. */
function shortenList(list: readonly unknown[], most_bytes: number): unknown[] {
  const kept: unknown[] = [];
  let left_bytes = most_bytes - 2;
  for (const item of list) {
    const size = sizeOf(item) + 1;
    if (size > left_bytes) break;
    kept.push(item);
    left_bytes -= size;
  }
  const room_bytes = left_bytes - 1;
  const isFirstCut = kept.length === 0 && list.length > 0 && room_bytes >= fewest_bytes;
  return isFirstCut ? [shorten(list[0], room_bytes)] : kept;
}

/** Small members first. A large one is shortened, or left out if its share is too small. */
function shortenMembers(members: object, most_bytes: number): object {
  const bySize = Object.entries(members)
    .map(([name, value]) => ({ name, value, size: nameSize(name) + sizeOf(value) }))
    .sort((a, b) => a.size - b.size);
  const kept = new Map<string, unknown>();
  let left_bytes = most_bytes - 2;
  bySize.forEach(({ name, value, size }, at) => {
    const share_bytes = Math.floor(left_bytes / (bySize.length - at));
    const room_bytes = share_bytes - nameSize(name);
    if (size > share_bytes && room_bytes < fewest_bytes) return;
    const fitting = size > share_bytes ? shorten(value, room_bytes) : value;
    kept.set(name, fitting);
    left_bytes -= nameSize(name) + sizeOf(fitting);
  });
  return Object.fromEntries(
    Object.keys(members).flatMap((name) => (kept.has(name) ? [[name, kept.get(name)]] : [])),
  );
}

/** The result takes at most `most_bytes`, which must be at least `fewest_bytes`. */
export function shorten(value: unknown, most_bytes: number): unknown {
  if (sizeOf(value) <= most_bytes) return value;
  if (typeof value === 'string') return shortenText(value, most_bytes);
  if (Array.isArray(value)) return shortenList(value, most_bytes);
  if (typeof value === 'object' && value !== null) return shortenMembers(value, most_bytes);
  return null;
}
