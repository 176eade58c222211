const ascii = /^[ -~]*$/;

/**
 * The words of a text, the same for search on every engine: compatibility-decomposed, without marks,
 * lower-cased (a final sigma as any other), runs of letters and digits.
 */
export function tokenize(text: string): string[] {
  if (ascii.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ς', 'σ');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}
