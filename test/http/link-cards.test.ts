import { describe, expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { opened } from '../support/opened.ts';

const path = '/agents/co.webhook/webhook/card.png';
const get = async (address: string, headers: Record<string, string> = {}) =>
  directory.app.request(address, { headers });
const bytesOf = async (address: string) => Buffer.from(await (await get(address)).arrayBuffer());

/** The size that a PNG's header names. */
const sizeOf = (png: Buffer) => ({
  signature: png.subarray(0, 8).toString('latin1'),
  width: png.readUInt32BE(16),
  height: png.readUInt32BE(20),
});
const card = { signature: '\x89PNG\r\n\x1a\n', width: 1200, height: 630 };

const directory = await opened(
  openClaimedDirectory({
    entries: [
      ...seedEntries,
      registryEntry('io.test/described', { description: 'Words that can be drawn' }),
      registryEntry('io.test/pictured', { description: 'Words that can be drawn 🎉' }),
      registryEntry('io.test/foreign', { description: '日本語の説明' }),
      registryEntry('io.test/foreign-too', { description: 'وصف' }),
      registryEntry(`io.test/${'long-'.repeat(38)}`, { description: 'x'.repeat(100) }),
      registryEntry('io.test/gone', {}, { status: 'deleted' }),
    ],
  }),
);

describe('the card of a page', () => {
  it.each(['/card.png', path, `/agents/io.test/${'long-'.repeat(38)}/card.png`])(
    '%s is a PNG, 1200 by 630',
    async (address) => {
      const answer = await get(address, { accept: 'text/html' });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=3600');
      const png = Buffer.from(await answer.arrayBuffer());
      expect(sizeOf(png)).toEqual(card);
      expect(png.byteLength).toBeLessThan(60_000);
      expect(answer.headers.get('content-length')).toBe(String(png.byteLength));
    },
  );

  it('is another for each listing, and another when its evidence is', async () => {
    const before = await bytesOf(path);
    expect(before.equals(await bytesOf('/agents/com.politicalcomms/api/card.png'))).toBe(false);
    expect(before.equals(await bytesOf(path))).toBe(true);
    const capability = await directory.claim('com.politicalcomms/api', 'Political-Comms/political-comms-sdk');
    await directory.rate('co.webhook/webhook', capability);
    expect(before.equals(await bytesOf(path))).toBe(false);
  });

  it('leaves out words whose letters its font has not, and pictures', async () => {
    const [described, pictured, foreign, foreignToo] = await Promise.all(
      ['described', 'pictured', 'foreign', 'foreign-too'].map((name) =>
        bytesOf(`/agents/io.test/${name}/card.png`),
      ),
    );
    const isSmaller = (one?: Buffer, other?: Buffer) => (one?.byteLength ?? 0) < (other?.byteLength ?? 0);
    expect(isSmaller(foreign, described)).toBe(true);
    expect(isSmaller(foreignToo, described)).toBe(true);
    expect(isSmaller(foreign, pictured)).toBe(true);
  });

  it('draws quotation marks inside what it quotes as single ones', async () => {
    const quoted = `safe” „so“ “it” "says"`;
    const single = `safe' 'so' 'it' 'says'`;
    const none = 'safe so it says';
    const drawn: Buffer[] = [];
    for (const description of [quoted, single, none]) {
      await directory.importEntries([...seedEntries, registryEntry('io.test/quoted', { description })]);
      drawn.push(await bytesOf('/agents/io.test/quoted/card.png'));
    }
    expect(drawn[0]?.equals(drawn[1] ?? Buffer.of())).toBe(true);
    expect(drawn[0]?.equals(drawn[2] ?? Buffer.of())).toBe(false);
  });

  it('is not there without its listing', async () => {
    expect((await get('/agents/io.test/nothing/card.png')).status).toBe(404);
    expect((await get('/agents/io.test/gone/card.png')).status).toBe(410);
    expect((await get('/agents/a/b%22/card.png')).status).toBe(400);
    const moved = await get('/agents/CO.webhook/webhook/card.png');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, path]);
  });

  it('is drawn for a limited number of requests at once; more get Retry-After', async () => {
    const names = Array.from({ length: 40 }, (_, at) => registryEntry(`io.crowd/listing-${at}`));
    await directory.importEntries([...seedEntries, ...names]);
    const answers = await Promise.all(
      names.map(({ server }) => get(`/agents/${String(server.name)}/card.png`)),
    );
    const counts = Object.groupBy(answers, ({ status }) => String(status));
    expect(Object.keys(counts)).toEqual(['200', '503']);
    expect(counts['503']?.[0]?.headers.get('retry-after')).toBe('2');
    expect((await get(`/agents/${String(names[39]?.server.name)}/card.png`)).status).toBe(200);
  });
});
