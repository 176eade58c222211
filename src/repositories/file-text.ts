const fileLimit_bytes = 16_384;
const lfsPointer = /^version https:\/\/git-lfs\.github\.com\/spec\//;
const htmlPage = /^\s*<(!doctype html|html[\s>])/i;

/** The text of a small file, or why it is none: `not_text` is UTF-16, anything binary, or an HTML page in its place. */
export function toFileText(
  body: Buffer,
  contentType: string,
):
  | { readonly result: 'file'; readonly text: string }
  | { readonly result: 'too_large' | 'not_text' | 'lfs_pointer' } {
  if (body.length > fileLimit_bytes) return { result: 'too_large' };
  const text = decode(body);
  if (text === undefined || /^text\/html\b/i.test(contentType) || htmlPage.test(text))
    return { result: 'not_text' };
  return lfsPointer.test(text) ? { result: 'lfs_pointer' } : { result: 'file', text };
}

function decode(body: Buffer): string | undefined {
  if (body.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}
