import { Hono } from 'hono';
import type { Asset } from '../views/assets.ts';
import type { Face, HttpEnvironment } from './environment.ts';

const send = ({ bytes, type }: Asset) =>
  new Response(bytes, {
    headers: { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' },
  });

/** The files that pages load, under addresses that hold their hash: kept for ever. */
export function createAssetRoutes({ site }: Face) {
  const app = new Hono<HttpEnvironment>();
  for (const asset of Object.values(site.assets)) app.get(asset.path, () => send(asset));
  return app;
}
