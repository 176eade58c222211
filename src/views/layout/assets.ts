import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A static file; its path contains the hash of its content, so it can be cached forever. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const require = createRequire(import.meta.url);
const own = (name: string) => new URL(`../assets/${name}`, import.meta.url);

/**
 * The parts of the stylesheet in the order in which they apply, each a file of `assets/style`: colours and sizes, what all pages
 * share, what only some have, paper and forced colours.
 */
const styleParts = ['tokens', 'base', 'pages', 'print'];
const readStyle = () => Buffer.concat(styleParts.map((part) => readFileSync(own(`style/${part}.css`))));

function toAsset(name: string, type: string, content: Uint8Array): Asset {
  const bytes = new Uint8Array(content);
  const [stem, ending] = name.split('.');
  return { path: `/assets/${stem}.${hash('sha256', bytes, 'hex').slice(0, 12)}.${ending}`, type, bytes };
}

const openAsset = (name: string, type: string, file: URL | string = own(name)) =>
  toAsset(name, type, readFileSync(file));

/** Reads the static files of the pages: style, icons, copy buttons, search, the countdown of a claim, and htmx. */
export const createAssets = () => ({
  style: toAsset('style.css', 'text/css; charset=utf-8', readStyle()),
  icon: openAsset('icon.svg', 'image/svg+xml'),
  favicon: openAsset('favicon.ico', 'image/x-icon'),
  touchIcon: openAsset('apple-touch-icon.png', 'image/png'),
  copy: openAsset('copy.js', 'text/javascript; charset=utf-8'),
  search: openAsset('search.js', 'text/javascript; charset=utf-8'),
  claim: openAsset('claim.js', 'text/javascript; charset=utf-8'),
  htmx: openAsset('htmx.js', 'text/javascript; charset=utf-8', require.resolve('htmx.org/dist/htmx.min.js')),
});

/** The static files of the pages, by purpose. */
export type Assets = ReturnType<typeof createAssets>;
