import { Hono } from 'hono';
import { cachedOnce } from '../../cached-once.ts';
import type { Asset } from '../../views/layout/assets.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import type { Encoding } from '../finished.ts';
import { encodeBest } from '../response/encodings.ts';

/** An asset in each coding, made on first use. */
const toForms = ({ bytes }: Asset): Record<Encoding, () => Promise<Uint8Array<ArrayBuffer>>> => ({
  br: cachedOnce(() => encodeBest(bytes, 'br')),
  gzip: cachedOnce(() => encodeBest(bytes, 'gzip')),
  identity: cachedOnce(() => encodeBest(bytes, 'identity')),
});

const forever = 'public, max-age=31536000, immutable';
const aDay = 'public, max-age=86400';

function sendAsset(asset: Asset, cacheControl: string) {
  const forms = toForms(asset);
  return async (c: Request) => {
    const encoding = c.get('encoding');
    const bytes = await forms[encoding]();
    return c.body(bytes, {
      headers: {
        'Content-Type': asset.type,
        'Content-Length': String(bytes.byteLength),
        'Cache-Control': cacheControl,
        Vary: 'Accept-Encoding',
        ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
      },
    });
  };
}

/**
 * The files that pages load, at addresses that contain their hash, so that browsers cache them forever; and the icons that
 * browsers ask for at fixed addresses.
 */
export function createAssetRoutes({ site }: Face) {
  const app = new Hono<HttpEnvironment>();
  app.get('/favicon.ico', sendAsset(site.assets.favicon, aDay));
  app.get('/apple-touch-icon.png', sendAsset(site.assets.touchIcon, aDay));
  for (const asset of Object.values(site.assets)) app.get(asset.path, sendAsset(asset, forever));
  return app;
}
