const most = 3;
const longest = 160;

/** Quotes that are open where a text is cut are closed: what follows is not in them. */
function cut(text: string): string {
  if (text.length <= longest) return text;
  const begin = text.slice(0, longest - 1);
  return begin.lastIndexOf('“') > begin.lastIndexOf('”') ? `${begin}…”` : `${begin}…`;
}

/** The different values, at most three of them with 160 characters each, and how many there are besides. */
export function firstFew(values: readonly string[]): string[] {
  const different = [...new Set(values)];
  const more = different.length - most;
  return [...different.slice(0, most).map(cut), ...(more > 0 ? [`${more} more`] : [])];
}
