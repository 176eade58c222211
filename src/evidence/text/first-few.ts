const most = 3;
const longest = 160;

const cut = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

/** The different values, at most three of them with 160 characters each, and how many there are besides. */
export function firstFew(values: readonly string[]): string[] {
  const different = [...new Set(values)];
  const more = different.length - most;
  return [...different.slice(0, most).map(cut), ...(more > 0 ? [`${more} more`] : [])];
}
