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

function openAsset(name: string, type: string, file: URL | string): Asset {
  const bytes = new Uint8Array(readFileSync(file));
  const [stem, ending] = name.split('.');
  return { path: `/assets/${stem}.${hash('sha256', bytes, 'hex').slice(0, 12)}.${ending}`, type, bytes };
}

/** Reads the static files of the pages: style, icon, copy buttons, search, the countdown of a claim, and htmx. */
export const createAssets = () => ({
  style: openAsset('style.css', 'text/css; charset=utf-8', own('style.css')),
  icon: openAsset('icon.svg', 'image/svg+xml', own('icon.svg')),
  copy: openAsset('copy.js', 'text/javascript; charset=utf-8', own('copy.js')),
  search: openAsset('search.js', 'text/javascript; charset=utf-8', own('search.js')),
  claim: openAsset('claim.js', 'text/javascript; charset=utf-8', own('claim.js')),
  htmx: openAsset('htmx.js', 'text/javascript; charset=utf-8', require.resolve('htmx.org/dist/htmx.min.js')),
});

/** The static files of the pages, by purpose. */
export type Assets = ReturnType<typeof createAssets>;
