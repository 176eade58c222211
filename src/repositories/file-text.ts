import { decodeUtf8 } from '../evidence/text/read-bounded.ts';

const fileLimit_bytes = 16_384;
const lfsPointer = /^version https:\/\/git-lfs\.github\.com\/spec\//;
const htmlPage = /^\s*<(!doctype html|html[\s>])/i;

/** The text of a claim file, or why it has none. `not_text`: not UTF-8, binary, or an HTML page instead of the file. */
export function toFileText(
  body: Buffer,
  contentType: string,
):
  | { readonly result: 'file'; readonly text: string }
  | { readonly result: 'too_large' | 'not_text' | 'lfs_pointer'; readonly isPage?: true } {
  if (body.length > fileLimit_bytes) return { result: 'too_large' };
  const text = body.includes(0) ? undefined : decodeUtf8(body);
  if (/^text\/html\b/i.test(contentType) || (text !== undefined && htmlPage.test(text)))
    return { result: 'not_text', isPage: true };
  if (text === undefined) return { result: 'not_text' };
  return lfsPointer.test(text) ? { result: 'lfs_pointer' } : { result: 'file', text };
}
