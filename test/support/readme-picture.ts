import { crc32 } from 'node:zlib';
import type { Page } from 'playwright-core';
import { observedStates } from './observed-entries.ts';

/** The picture of the README: the file, and the page of `openObservedStates` that it shows. */
export const readmePicture = {
  file: 'docs/listing.png',
  path: `/agents/${observedStates.paid}`,
  look: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
} as const;

/** The parts of the page in the picture, which ends below the lowest one. */
const parts = ['body > header', '.listing-head', '.beside', '.answer', '.snapshot', '.record-of'];

/**
 * The words of an opened page that its picture shows. Dates, and how long ago they were, are left out,
 * because the checks are as old on every day.
 */
export async function readWords(page: Page): Promise<string> {
  const texts = await Promise.all(parts.map((part) => page.locator(part).innerText()));
  return texts.join('\n').replaceAll(/\d{4}-\d\d-\d\d(?:, \d+ \w+ ago)?/g, '(date)');
}

/** Signature of a PNG file, and the length of its first chunk, IHDR, as a chunk of text may follow it. */
const headLength_bytes = 8 + 4 + 4 + 13 + 4;
/** Keyword of the chunk, and its flags: not compressed, in no stated language. */
const textHead = Buffer.from('iTXtDescription\0\0\0\0\0');

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Takes the picture, with its words in the PNG text chunk "Description". */
export async function takeReadmePicture(page: Page): Promise<Buffer> {
  const boxes = await Promise.all(parts.map((part) => page.locator(part).boundingBox()));
  const height = Math.ceil(Math.max(...boxes.map((box) => (box ? box.y + box.height : 0)))) + 24;
  const clip = { x: 0, y: 0, width: readmePicture.look.viewport.width, height };
  const png = await page.screenshot({ fullPage: true, clip });
  const text = Buffer.concat([textHead, Buffer.from(await readWords(page))]);
  const chunk = [uint32(text.length - 4), text, uint32(crc32(text))];
  return Buffer.concat([png.subarray(0, headLength_bytes), ...chunk, png.subarray(headLength_bytes)]);
}

/** The words in a picture that `takeReadmePicture` took; empty for any other. */
export function wordsIn(png: Buffer): string {
  const at = png.indexOf(textHead);
  if (at < 0) return '';
  const words = png.toString('utf8', at + textHead.length, at + 4 + png.readUInt32BE(at - 4));
  return words.replaceAll(/(?<=\(date\)), \d+ \w+ ago/g, '');
}
