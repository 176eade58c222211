import { Hono } from 'hono';
import Tinypool from 'tinypool';
import { cachedOnce } from '../../core/cached-once.ts';
import { Problem } from '../../core/problem.ts';
import { toModuleUrl } from '../../core/process.ts';
import { day_s } from '../../core/text.ts';
import { getListing } from '../../tools/find/listing.ts';
import { type LinkCard, toListingCard, toServiceCard } from '../../views/cards/link-card.ts';
import { type Asset, assets } from '../../views/layout.ts';
import type { CachePolicy, Encoding, HttpEnvironment, Request } from '../call.ts';
import { ofListing } from '../request.ts';
import { encodeBest, isCurrent, toTag } from '../response.ts';

const forever = 'public, max-age=31536000, immutable';
const aDay = `public, max-age=${day_s}`;

function sendAsset(asset: Asset, cacheControl: string) {
  const toForm = cachedOnce((encoding) => encodeBest(asset.bytes, encoding as Encoding), { most: 3 });
  return async (c: Request) => {
    const encoding = c.get('encoding');
    const bytes = await toForm(encoding);
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

/** With a hash, so that browsers cache for long, besides two fixed addresses that they request. */
export const assetRoutes = new Hono<HttpEnvironment>()
  .get('/favicon.ico', sendAsset(assets.favicon, aDay))
  .get('/apple-touch-icon.png', sendAsset(assets.touchIcon, aDay));
for (const asset of Object.values(assets)) assetRoutes.get(asset.path, sendAsset(asset, forever));

const drawing = toModuleUrl('../../views/cards/link-card-drawing', import.meta.url).href;
const maxWaiting = 16;

/** The worker ends after half a minute without work. */
function createDrawer() {
  const pool = new Tinypool({
    filename: drawing,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: maxWaiting,
    idleTimeout: 30_000,
  });
  return {
    async draw(card: LinkCard): Promise<Buffer<ArrayBuffer>> {
      if (pool.queueSize >= maxWaiting) throw new Problem('unavailable', { retry_after_s: 2 });
      const png = (await pool.run(card, { name: 'drawLinkCard' })) as Uint8Array<ArrayBuffer>;
      return Buffer.from(png.buffer, png.byteOffset, png.byteLength);
    },
    end: () => pool.destroy(),
  };
}

/** Nothing is drawn for a client that has the image. */
async function answerCard(
  c: Request,
  { card, cachePolicy }: { card: LinkCard; cachePolicy: CachePolicy },
  draw: (card: LinkCard) => Promise<Buffer<ArrayBuffer>>,
): Promise<Response> {
  const etag = `"${toTag(JSON.stringify(card))}"`;
  c.header('ETag', etag);
  c.header('Cache-Control', 'public, max-age=3600');
  const type = { 'Content-Type': 'image/png' };
  if (isCurrent(c.req.header('if-none-match'), etag)) return c.body(null, 304, type);
  const body = await draw(card);
  const headers = { ...type, 'Content-Length': String(body.byteLength) };
  c.set('finished', { etag, body, headers, cachePolicy });
  return c.body(body, { headers });
}

export function createCardRoutes() {
  const { draw, end } = createDrawer();
  const routes = new Hono<HttpEnvironment>()
    .get('/card.png', (c) =>
      answerCard(c, { card: toServiceCard(c.get('context')), cachePolicy: { cacheTags: [] } }, draw),
    )
    .get('/agents/:namespace/:name/card.png', (c) =>
      ofListing(c, async (handle, context) => {
        const card = toListingCard(context, await getListing(handle, context));
        return answerCard(c, { card, cachePolicy: { cacheTags: [handle] } }, draw);
      }),
    );
  return Object.assign(routes, { close: end });
}
