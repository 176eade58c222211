import { AsyncLocalStorage } from 'node:async_hooks';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../bench/random.ts';
import { parseForeignJson } from '../../src/core/json.ts';
import { zeroImportCounts } from '../../src/imports/import-run.ts';
import type { ListQuery } from '../../src/listings/table.ts';
import { toLeaf } from '../../src/log/leaf.ts';
import { createOutboundClient } from '../../src/net/client.ts';
import type { SearchQuery } from '../../src/search/query.ts';
import type { ChangedHandles, Store } from '../../src/store/store.ts';
import { storedTools, toTimelines } from '../support/facts.ts';
import { foreignJson } from '../support/foreign-json.ts';
import { partOf } from '../support/long.ts';
import { pricesAt } from '../support/offers.ts';
import { makeListing } from './examples.ts';

/**
 * What every engine must do alike, for a suite of its own. `open` makes an empty store; `isCached` leaves out
 * what takes seconds and never reaches a cache.
 */
export const describeStore =
  (open: () => Promise<Store>, isCached = false) =>
  (): void => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const rank = (query: Partial<SearchQuery>) =>
      store.listings.search({ text: '', facets: [], sort: 'relevance', ...query });
    const handlesOf = async (ids: readonly number[]) =>
      (await store.listings.byIds(ids)).map(({ handle }) => handle);
    const search = async (text: string, query: Partial<SearchQuery> = {}) =>
      handlesOf((await rank({ ...query, text })).hits.map(({ id }) => id));
    const list = async (query: Partial<ListQuery>) =>
      (
        await store.listings.list({ facets: [], sort: 'relevance', after: undefined, limit: 20, ...query })
      ).map(({ handle }) => handle);
    const count = async (text: string) => (await rank({ text })).counts.total;
    const tags = (...names: string[]) => names.map((tag) => ({ tag, reason: 'test' }));

    it('a key without a value finds no row', async () => {
      const missing = undefined as unknown as string;
      await expect(store.claims.capability(missing)).rejects.toThrow('a key without a value');
      await expect(store.claims.capabilityById(missing)).rejects.toThrow('a key without a value');
    });

    describe('search', () => {
      beforeEach(() =>
        store.write((tx) =>
          tx.listings.putListings([
            makeListing('z/notes', 10, {
              description: 'Keeps a database of notes',
              facets: ['tag:notes', 'state:imported'],
            }),
            makeListing('b/sqlite-database', 20, {
              tags: tags('database'),
              facets: ['tag:database', 'state:imported'],
            }),
            makeListing('a/store', 30, {
              tags: tags('database'),
              facets: ['tag:database', 'state:claimed', 'has:endpoint'],
            }),
            makeListing('c/Café', 40, { title: 'Database café', description: 'Ünïcode Ǆ 数据库' }),
          ]),
        ),
      );

      it('ranks names before descriptions before tags, whatever the number of a word', async () => {
        expect(await search('database')).toEqual(['b/sqlite-database', 'c/Café', 'z/notes', 'a/store']);
        expect(await search('databases')).toEqual(['b/sqlite-database', 'c/Café', 'z/notes', 'a/store']);
      });
      it('puts those with most of the words first, and says how many each has', async () => {
        const { hits, words } = await rank({ text: 'sqlite database notes' });
        expect(words).toBe(3);
        expect(await handlesOf(hits.map(({ id }) => id))).toEqual([
          'z/notes',
          'b/sqlite-database',
          'c/Café',
          'a/store',
        ]);
        expect(hits.map(({ matched }) => matched)).toEqual([2, 2, 1, 1]);
      });
      it('finds a word that is also the name of a kind of facet only where a text has it', async () => {
        await store.write((tx) =>
          tx.listings.putListings([
            makeListing('s/laws', 50, {
              description: 'State laws in a database',
              facets: ['tag:laws', 'state:imported'],
            }),
          ]),
        );
        const { hits } = await rank({ text: 'state database' });
        expect(await handlesOf(hits.map(({ id }) => id))).toEqual([
          's/laws',
          'b/sqlite-database',
          'c/Café',
          'z/notes',
          'a/store',
        ]);
        expect(hits.map(({ matched }) => matched)).toEqual([2, 1, 1, 1, 1]);
      });
      it('takes an unknown last word for a beginning from three letters on', async () => {
        expect(await search('sqli')).toEqual(['b/sqlite-database']);
        expect(await search('sq')).toEqual([]);
        expect(await search('dat sqlite')).toEqual(['b/sqlite-database']);
      });
      it('finds a handle as it is written first, else with other capitals', async () => {
        expect((await search('z/notes'))[0]).toBe('z/notes');
        expect((await search(' C/CAFÉ '))[0]).toBe('c/Café');
        await store.write((tx) =>
          tx.listings.putListings([makeListing('q/notes', 50), makeListing('Q/notes', 51)]),
        );
        expect((await search('Q/notes'))[0]).toBe('Q/notes');
        expect(await search('q/notes')).toEqual(['q/notes', 'Q/notes', 'z/notes']);
        expect((await search('Q/NOTES'))[0]).toBe('q/notes');
        expect((await rank({ text: 'q/notes', facets: ['tag:notes'] })).hits[0]?.matched).toBe(1);
      });
      it('filters by facets alone and with words', async () => {
        expect(await list({ facets: ['tag:database'] })).toEqual(['b/sqlite-database', 'a/store']);
        expect(await list({ facets: ['tag:database', 'has:endpoint'] })).toEqual(['a/store']);
        expect(await list({ facets: ['tag:database'], after: { id: 20, updated_at: '' } })).toEqual([
          'a/store',
        ]);
        expect(await list({ facets: ['tag:database'], sort: 'published' })).toEqual([
          'a/store',
          'b/sqlite-database',
        ]);
        expect(await search('database', { facets: ['tag:notes'] })).toEqual(['z/notes']);
        expect(await list({ facets: ['tag:nothing'] })).toEqual([]);
        expect(await search('database', { facets: ['tag:nothing'] })).toEqual([]);
        const facets = [['tag:notes', "tag:'"], ['state:imported']] as const;
        const either = await store.listings.search({ text: 'database', facets, sort: 'relevance' });
        expect(await handlesOf(either.hits.map(({ id }) => id))).toEqual(['z/notes']);
        expect(
          await store.listings.listCounts([['tag:notes', 'tag:database'], 'state:imported']),
        ).toMatchObject({ total: 2 });
      });
      it('finds all listings but those that a query excludes', async () => {
        expect(await search('-database')).toEqual([]);
        expect(await search('-notes')).toEqual(['b/sqlite-database', 'a/store', 'c/Café']);
        expect(await search('-"keeps notes"')).toEqual(['z/notes', 'b/sqlite-database', 'a/store', 'c/Café']);
        expect(await search('-"database of notes"')).toEqual(['b/sqlite-database', 'a/store', 'c/Café']);
        expect(await search('-sqlite-database')).toEqual(['z/notes', 'a/store', 'c/Café']);
        expect(await search('-sqlite-database', { facets: ['tag:notes'] })).toEqual(['z/notes']);
      });
      it('sorts by publication and by update, all of them and those that words find', async () => {
        await store.write((tx) =>
          tx.listings.putListings([
            makeListing('n/database', 15, {
              updated_at: '2026-02-02T00:00:00.000Z',
              facets: ['tag:database'],
            }),
          ]),
        );
        const [newest, latest] = [{ sort: 'published' }, { sort: 'updated' }] as const;
        expect(await list(newest)).toEqual([
          'c/Café',
          'a/store',
          'b/sqlite-database',
          'n/database',
          'z/notes',
        ]);
        expect(await list({ ...newest, limit: 1, after: { id: 30, updated_at: '' } })).toEqual([
          'b/sqlite-database',
        ]);
        expect(await list({ ...latest, limit: 2 })).toEqual(['n/database', 'c/Café']);
        const behind = { id: 15, updated_at: '2026-02-02T00:00:00.000Z' };
        expect(await list({ ...latest, facets: ['tag:database'], after: behind })).toEqual([
          'a/store',
          'b/sqlite-database',
        ]);
        expect(await search('database', newest)).toEqual([
          'c/Café',
          'a/store',
          'b/sqlite-database',
          'n/database',
          'z/notes',
        ]);
        expect((await search('database', latest))[0]).toBe('n/database');
      });
      it('sorts by update however many listings have the facets', async () => {
        const dayOf = (at: number) => `2026-01-${String((at % 27) + 1).padStart(2, '0')}T00:00:00.000Z`;
        const many = Array.from({ length: 2100 }, (_, at) =>
          makeListing(`many/m${at}`, 1000 + at, {
            updated_at: dayOf(at),
            facets: ['tag:many', 'has:endpoint'],
          }),
        );
        const oldest = { updated_at: '2026-03-01T00:00:00.000Z', facets: ['tag:many'] } as const;
        await store.write((tx) =>
          tx.listings.putListings([
            ...many,
            makeListing('oldest/many', 500, oldest),
            makeListing('oldest/manyfold', 501, { ...oldest, facets: ['tag:many-fold'] }),
          ]),
        );
        const latest = { sort: 'updated', facets: ['tag:many'], limit: 3 } as const;
        expect(await list(latest)).toEqual(['oldest/many', 'many/m2078', 'many/m2051']);
        const after = { id: 1000 + 26, updated_at: '2026-01-27T00:00:00.000Z' };
        expect(await list({ ...latest, after })).toEqual(['many/m2077', 'many/m2050', 'many/m2023']);
        expect(await list({ ...latest, facets: ['tag:many', 'has:endpoint'], limit: 1 })).toEqual([
          'many/m2078',
        ]);
      });
      it('finds words without marks and in other scripts', async () => {
        expect(await search('cafe')).toEqual(['c/Café']);
        // A word in the table of languages finds English texts too, after those that have it.
        expect((await search('数据库'))[0]).toBe('c/Café');
        expect(await search('数据')).toEqual(['c/Café']);
      });
      it('finds a forge in names only where it is part of the own name', async () => {
        await store.write((tx) =>
          tx.listings.putListings([
            makeListing('io.github.someone/notes', 1),
            makeListing('io.github.github/github-mcp', 60),
          ]),
        );
        expect(await search('github')).toEqual(['io.github.github/github-mcp']);
        expect((await search('io.github.someone/notes'))[0]).toBe('io.github.someone/notes');
      });
      it('takes operators of the engine as plain words', async () => {
        for (const word of ['OR', 'NEAR', 'rank', '"', "'", "x'y", 'x:*', '(', '\\'])
          expect(await search(word)).toEqual([]);
      });
      it('obeys quotes and minus', async () => {
        await store.write((tx) =>
          tx.listings.putListings([
            makeListing('p/one', 70, { description: 'A knowledge graph for agents' }),
            makeListing('p/two', 71, { description: 'Knowledge of a bar graph' }),
          ]),
        );
        expect(await search('knowledge graph')).toEqual(['p/one', 'p/two']);
        expect(await search('"knowledge graph"')).toEqual(['p/one']);
        expect(await search('knowledge -agents')).toEqual(['p/two']);
      });
      it('takes a word in quotes as a condition, words joined by a hyphen as a phrase, and needs no other words', async () => {
        await store.write((tx) =>
          tx.listings.putListings([
            makeListing('p/mail', 70, { description: 'Sends e-mail' }),
            makeListing('p/post', 71, { description: 'Mail by post, vitamin E', facets: ['tag:post'] }),
          ]),
        );
        expect(await search('"post" database')).toEqual(['p/post']);
        expect(await search('mail -e-mail')).toEqual(['p/post']);
        expect(await search('mail -"by post"')).toEqual(['p/mail']);
        expect(await search('-database -e-mail')).toEqual(['p/post']);
        expect(await search('-database', { sort: 'published' })).toEqual(['p/post', 'p/mail']);
        expect(await search('-database', { facets: ['tag:post'] })).toEqual(['p/post']);
        expect(await search('-database', { facets: ['tag:notes'] })).toEqual([]);
        expect(await search('?!')).toEqual([]);
      });
      it('counts the words of a long query without question words that it passed over', async () => {
        const known = Array.from({ length: 24 }, (_, at) => `rarity${at}`).join(' ');
        await store.write((tx) =>
          tx.listings.putListings([
            makeListing('q/all', 72, { description: known }),
            makeListing('q/asks', 73, { description: 'find show get need want looking something tool' }),
          ]),
        );
        const { words, hits } = await rank({ text: `find show get need want looking something ${known}` });
        expect(words).toBe(24);
        expect(hits[0]).toEqual({ id: 72, matched: 24, instead: [] });
      });
      it('finds what means the same before what is related, and keeps the order of a phrase around stop words', async () => {
        await store.write((tx) =>
          tx.listings.putListings([
            makeListing('s/aloud', 72, { description: 'Dictation of letters' }),
            makeListing('s/text-to-speech', 73, { description: 'Reads pages' }),
            makeListing('s/speech-to-text', 74, { description: 'Writes down what it hears' }),
            makeListing('s/asr', 75, { description: 'Meetings as text' }),
          ]),
        );
        expect(await search('speech to text')).toEqual([
          's/speech-to-text',
          's/asr',
          's/text-to-speech',
          's/aloud',
        ]);
        expect((await search('"text to speech"')).at(0)).toBe('s/text-to-speech');
      });
      it('stores and searches a part of a word that is longer than the index of any engine allows', async () => {
        // Each of these letters counts as four.
        const long = `longB${'ﷲ'.repeat(480)}`;
        await store.write((tx) =>
          tx.listings.putListings([makeListing('l/long', 79, { description: `Letters ${long}` })]),
        );
        expect(await search('letters')).toEqual(['l/long']);
        expect(await search(long)).toEqual(['l/long']);
      });
      it('corrects unknown words, also joined and split ones', async () => {
        await store.write((tx) =>
          tx.listings.putListings([
            makeListing('h/hugging-face', 80, { description: 'Models' }),
            makeListing('w/weathervane', 81, { description: 'Wind' }),
          ]),
        );
        expect(await search('huggingface')).toEqual(['h/hugging-face']);
        expect(await search('wethervane')).toEqual(['w/weathervane']);
        expect(await search('weather vane')).toEqual(['w/weathervane']);
      });
      it('puts placeholders last', async () => {
        await store.write((tx) =>
          tx.listings.putListings([
            makeListing('t/weather', 90, { description: 'Description of my MCP server' }),
            makeListing('u/forecasts', 91, { description: 'Forecasts of the weather' }),
            makeListing('v/weather', 92, { description: 'Deprecated: use u/forecasts [add|remove]' }),
          ]),
        );
        expect(await search('weather')).toEqual(['v/weather', 'u/forecasts', 't/weather']);
      });
      const putMany = async (count: number, make: (at: number) => ReturnType<typeof makeListing>) => {
        for (let from = 0; from < count; from += 5000) {
          const some = Array.from({ length: Math.min(5000, count - from) }, (_, at) => make(from + at));
          await store.write((tx) => tx.listings.putListings(some));
        }
      };
      it('ranks and counts every match, and sorts all of them', async () => {
        await putMany(1500, (at) =>
          makeListing(`m/crowd-${at}`, 1000 + at * 7, {
            updated_at: `2026-01-01T00:00:00.${String(999 - (at % 1000)).padStart(3, '0')}Z`,
          }),
        );
        const { hits, counts } = await rank({ text: 'crowd' });
        expect(hits).toHaveLength(1500);
        expect(counts).toEqual({ total: 1500, capped: false, facets: { 'state:imported': 1500 } });
        expect((await rank({ text: 'crowd sqlite' })).hits.map(({ id }) => id)).toContain(20);
        expect(await search('crowd-77 crowd')).toContain('m/crowd-77');
        const newest = (await search('crowd', { sort: 'published' })).slice(0, 3);
        expect(newest).toEqual(['m/crowd-1499', 'm/crowd-1498', 'm/crowd-1497']);
        const latest = (await search('crowd', { sort: 'updated' })).slice(0, 3);
        expect(latest).toEqual(['m/crowd-1000', 'm/crowd-0', 'm/crowd-1001']);
      });
      it.skipIf(isCached)(
        'ranks some hundred of more listings than it reads, and tells that there are more',
        async () => {
          await putMany(20_500, (at) =>
            makeListing(`m/crowd-${at}`, 1000 + at * 7, {
              ...(at % 5000 === 7 && { description: 'A quiet room apart' }),
            }),
          );
          const { hits, counts } = await rank({ text: 'crowd' });
          expect(hits).toHaveLength(400);
          expect(counts).toEqual({ total: 400, capped: true, facets: { 'state:imported': 400 } });
          expect(await count('"quiet room"')).toBe(5);
          expect(await count('quiet room')).toBe(5);
          const { counts: ofRare } = await rank({ text: 'crowd 11077 12178 13279 14380' });
          expect(ofRare).toEqual({ total: 4, capped: true, facets: { 'state:imported': 4 } });
        },
      );
      it('finds every listing that has two rare words, though many have one of them', async () => {
        const makeMany = (description: string, count: number, from: number) =>
          Array.from({ length: count }, (_, at) =>
            makeListing(`r/${from + at}`, from + at * 113, { description }),
          );
        await store.write((tx) =>
          tx.listings.putListings([
            ...makeMany('All about tides', 290, 10_000),
            ...makeMany('All about harbours', 290, 50_000),
            ...makeMany('Tides in harbours', 9, 90_000),
          ]),
        );
        const { hits } = await rank({ text: 'find a tool for tides and harbours' });
        expect(hits.filter(({ matched }) => matched === 2)).toHaveLength(9);
      });
      it('counts hits and their facets', async () => {
        expect((await rank({ text: 'database' })).counts).toEqual({
          total: 4,
          capped: false,
          facets: {
            'tag:notes': 1,
            'tag:database': 2,
            'state:imported': 3,
            'state:claimed': 1,
            'has:endpoint': 1,
          },
        });
        expect((await store.listings.listCounts([])).total).toBe(4);
        expect(await store.listings.listCounts(['tag:notes'])).toEqual({
          total: 1,
          capped: false,
          facets: { 'tag:notes': 1, 'state:imported': 1 },
        });
        expect(await store.listings.facetCounts('tag')).toEqual([
          { facet: 'tag:database', listings: 2 },
          { facet: 'tag:notes', listings: 1 },
        ]);
      });
      it('forgets the old words, facets and counts of a changed or withdrawn listing', async () => {
        expect(await count('database')).toBe(4);
        await store.write((tx) =>
          tx.listings.putListings([
            makeListing('z/notes', 5, {
              description: 'Nothing of the kind',
              facets: ['tag:other', 'state:imported'],
            }),
            makeListing('a/store', 30, { withdrawn: 'deleted', description: '', tags: [], facets: [] }),
          ]),
        );
        expect(await count('database')).toBe(2);
        expect(await search('database')).toEqual(['b/sqlite-database', 'c/Café']);
        expect(await search('kept')).toEqual([]);
        expect(await list({})).toEqual(['z/notes', 'b/sqlite-database', 'c/Café']);
        expect(await store.listings.facetCounts('tag')).toEqual([
          { facet: 'tag:database', listings: 1 },
          { facet: 'tag:other', listings: 1 },
        ]);
        expect(await store.listings.count()).toBe(3);
      });
      it('finds after each of many changes what a snapshot finds', async () => {
        const random = createRandom(7);
        const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
        const found: number[] = [];
        for (let change = 0; change < partOf(25, 60); change += 1) {
          const handle = `r/${pick(['alpha', 'beta', 'gamma', 'delta'])}-${pick(['notes', 'maps'])}`;
          const put = makeListing(handle, pick([100, 101, 102, 103]), {
            description: `${pick(['Reads', 'Writes', 'Draws'])} ${pick(['notes', 'maps', 'notes of maps'])}`,
            facets: pick([['tag:notes'], ['tag:maps', 'state:imported'], []]),
            withdrawn: pick([undefined, undefined, 'optout']),
          });
          await store.write((tx) => tx.listings.putListings([put]));
          for (const text of ['notes', '"notes of maps"', 'maps -notes', handle]) {
            const query = { text, facets: [], sort: 'relevance' } as const;
            const hits = await store.listings.search(query);
            expect(hits).toEqual(await store.snapshot(({ listings }) => listings.search(query)));
            found.push(hits.counts.total);
          }
        }
        expect(Math.max(...found)).toBeGreaterThan(4);
      });
      it('gives a listing the next free id where its own is taken', async () => {
        await store.write((tx) =>
          tx.listings.putListings([makeListing('q/one', 20), makeListing('q/two', 20)]),
        );
        const ids = await Promise.all(
          ['b/sqlite-database', 'q/one', 'q/two'].map((handle) => store.listings.byHandle(handle)),
        );
        expect(ids.map((row) => row?.id)).toEqual([20, 21, 22]);
      });
      const nearTo = async (text: string) => (await store.listings.near(text, 5)).near;
      it('names near handles: other capitals first, then close spellings', async () => {
        expect(await nearTo('c/café')).toEqual(['c/Café']);
        expect(await nearTo('b/sqlite-databse')).toEqual(['b/sqlite-database']);
        expect(await nearTo('x/entirely-different-thing')).toEqual([]);
      });
      it('names the listings of a publisher whose namespace was guessed or misspelt, where the name says no more', async () => {
        const named = [
          'com.vesper/mcp',
          'com.quillon.mcp/mcp',
          'io.github.getloomly/loomly-mcp',
          'io.github.tarnix/tools',
        ];
        await store.write((tx) =>
          tx.listings.putListings(named.map((handle, n) => makeListing(handle, 70 + n))),
        );
        expect(await nearTo('com.vepser/mcp')).toEqual(['com.vesper/mcp']);
        expect(await nearTo('ai.vesper/vesper-mcp-server')).toEqual(['com.vesper/mcp']);
        expect(await nearTo('com.quillon/mcp')).toEqual(['com.quillon.mcp/mcp']);
        expect(await nearTo('com.loomly/mcp')).toEqual(['io.github.getloomly/loomly-mcp']);
        expect(await nearTo('com.tarnix/api')).toEqual(['io.github.tarnix/tools']);
        expect(await store.listings.near('com.tarnix/payments', 5)).toEqual({
          near: [],
          others: ['io.github.tarnix/tools'],
        });
        expect(await nearTo('com.ves/mcp')).toEqual([]);
      });
      it('names the listing of GitHub whose owner and name a text is', async () => {
        await store.write((tx) =>
          tx.listings.putListings([
            makeListing('io.github.Acme-Tools/mcp', 60),
            makeListing('acme-tools/mc', 61),
          ]),
        );
        expect(await nearTo('acme-tools/mcp')).toEqual(['io.github.Acme-Tools/mcp', 'acme-tools/mc']);
        const many = Array.from({ length: 210 }, (_, n) =>
          makeListing(`io.github.acme-tools/mcp-${n}`, 100 + n),
        );
        const before = Array.from({ length: 210 }, (_, n) => makeListing(`crowded/mcp-${n}`, 400 + n));
        await store.write((tx) =>
          tx.listings.putListings([...many, ...before, makeListing('io.github.Crowded/Mcp', 700)]),
        );
        expect((await nearTo('crowded/mcp'))[0]).toBe('io.github.Crowded/Mcp');
        expect((await nearTo('acme-tools/mcp'))[0]).toBe('io.github.Acme-Tools/mcp');
        expect((await nearTo('io.github.ACME-tools/MCP'))[0]).toBe('io.github.Acme-Tools/mcp');
      });
      it('completes namespaces and handles', async () => {
        expect(await store.listings.completions('namespace', '', 10)).toEqual(['a', 'b', 'c', 'z']);
        expect(await store.listings.completions('handle', 'b/', 10)).toEqual(['b/sqlite-database']);
      });
      it('pages in handle order', async () => {
        await store.write((tx) =>
          tx.listings.putListings([makeListing('m/new', 50, { published_at: '2026-05-01T00:00:00.000Z' })]),
        );
        expect(await store.listings.page('b/sqlite-database', 2)).toEqual([
          { handle: 'c/Café', updated_at: '2026-01-02T03:04:05.000Z' },
          { handle: 'm/new', updated_at: '2026-01-02T03:04:05.000Z' },
        ]);
      });
    });

    describe('transactions', () => {
      it('leaves no trace of work that throws, and does not run it again', async () => {
        let runs = 0;
        const failing = store.write(async (tx) => {
          runs += 1;
          await tx.listings.putListings([makeListing('a/one', 1)]);
          await tx.log.append(toLeaf('rating.submitted', { id: 'x' }));
          throw new Error('stop');
        });
        await expect(failing).rejects.toThrow('stop');
        expect(runs).toBe(1);
        expect(await store.listings.byHandle('a/one')).toBeUndefined();
        expect(await store.log.size()).toBe(0);
      });
      it('runs writes that share a commit each in the context of its caller', async () => {
        const caller = new AsyncLocalStorage<string>();
        const write = (name: string) =>
          caller.run(name, () =>
            store.write(async (tx) => {
              await tx.log.size();
              return caller.getStore();
            }),
          );
        expect(await Promise.all(['a', 'b', 'c'].map(write))).toEqual(['a', 'b', 'c']);
      });
      it('refuses a write or a request to a host inside a transaction, and goes on writing afterwards', async () => {
        const append = () => store.write((tx) => tx.log.append(toLeaf('rating.submitted', { id: 'x' })));
        await expect(store.write(append)).rejects.toThrow(
          'a write of its own is not allowed in a transaction',
        );
        const client = createOutboundClient({
          userAgent: 'test',
          bodyLimit_bytes: 1000,
          headerLimit_bytes: 8000,
          reach: (url) => ({ url, addresses: 'loopback' }),
        });
        const ask = () =>
          client.fetch({ url: new URL('http://127.0.0.1:9/'), deadline: new AbortController().signal });
        await expect(store.write(ask)).rejects.toThrow('a request to a host is not allowed in a transaction');
        const ended = Promise.withResolvers<void>();
        let later: Promise<number> | undefined;
        await store.write(async () => {
          later = ended.promise.then(append);
        });
        ended.resolve();
        expect(await later).toBe(0);
        expect(await append()).toBe(1);
        expect(await ask()).toEqual({ result: 'host_unreachable' });
      });
      it('orders parallel appends without a gap', async () => {
        const append = () => store.write((tx) => tx.log.append(toLeaf('rating.submitted', { id: 'x' })));
        const indexes = await Promise.all(Array.from({ length: 20 }, append));
        expect([...indexes].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
        expect(await store.log.size()).toBe(20);
      });
      it('announces the touched handles after the commit, and all after a good import', async () => {
        const seen: ChangedHandles[] = [];
        const stop = store.onChange((written) => seen.push(written));
        const id = await store.write(async (tx) => {
          await tx.listings.putListings([makeListing('a/one', 1)]);
          return tx.imports.startRun({
            kind: 'full',
            source: 'test',
            state: 'running',
            started_at: '2026-01-01T00:00:00.000Z',
            progress: { counts: zeroImportCounts, newestUpdatedAt: undefined, recorded: {} },
          });
        });
        await store.write((tx) =>
          tx.imports.saveRun(id, { state: 'done', finished_at: '2026-01-02T00:00:00.000Z' }),
        );
        stop();
        await store.write((tx) => tx.listings.putListings([makeListing('a/two', 2)]));
        expect(seen).toEqual([['a/one'], 'all']);
        expect((await store.imports.last()).done?.finished_at).toBe('2026-01-02T00:00:00.000Z');
      });
    });

    describe('observations', () => {
      it('stores the fifty former payees of a listing that were seen last', async () => {
        const handle = 'com.paid/often';
        await store.write((tx) => tx.listings.putListings([makeListing(handle, 7001)]));
        const dayAt = (day: number) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString();
        const paidTo = (address: string) => pricesAt('quote', { amount: '1', pays: [{ address }] });
        for (let day = 0; day < 60; day++) {
          const dates = { observed_at: dayAt(day), first_seen_at: dayAt(day), vantage: 'here' };
          const fact = { kind: 'price.offers', value: paidTo(`payee-${day}`), outcome: 'seen' } as const;
          const of = { subject: 'https://a.example/mcp', source: 'Dossier', method_version: 'x/1' };
          const observations = [{ ...fact, ...dates, ...of }];
          await store.write((tx) =>
            tx.observations.put({ handle, observed_at: dayAt(day), timelines: toTimelines(observations) }),
          );
        }
        const stored = await Promise.all(
          Array.from({ length: 60 }, (_, day) => store.listings.asked({ address: `payee-${day}` }, 2)),
        );
        const untils = stored.map(([one]) => one && (one.until ?? 'now'));
        expect(untils).toEqual([
          ...Array.from({ length: 9 }, () => undefined),
          ...Array.from({ length: 50 }, (_, n) => dayAt(9 + n)),
          'now',
        ]);
      });
      it('stores whatever is read of JSON from outside, and gives the same back', async () => {
        const texts = fc.sample(foreignJson, { numRuns: partOf(60, 600), seed: 9 });
        const handle = 'a/sent';
        const remote = 'https://a.example/mcp';
        const read = texts.map(parseForeignJson).filter((value) => value !== undefined);
        expect(read.length).toBeGreaterThan(30);
        for (const [n, sent] of read.entries()) {
          const at = new Date(Date.UTC(2026, 10, 27) + n).toISOString();
          const members = [{ name: 'sent', sent }];
          const list = { handle, kind: 'tools.surface', subject: remote };
          const packed = await storedTools(list, { digest: `${n}`, first_seen_at: at, members });
          const fact = { kind: 'tools.surface', value: null, outcome: 'seen', details: { sent } } as const;
          const dates = { observed_at: at, first_seen_at: at, vantage: 'here', method_version: 'x/1' };
          const observations = [{ ...fact, ...dates, source: 'Dossier' }];
          const change = { handle, at, vantage: 'here', changes: [{ kind: 'tools.surface', after: fact }] };
          await store.write(async (tx) => {
            const log_index = await tx.log.append(toLeaf('observation.changed', change));
            await tx.observations.put({ handle, observed_at: at, timelines: toTimelines(observations) }, at);
            await tx.observations.putValue(packed);
            await tx.observations.addChange({ ...change, log_index });
          });
          const stored = await store.observations.ofListing(handle);
          const asJson = JSON.stringify(sent);
          expect(JSON.stringify(stored?.observations[0]?.details?.sent)).toBe(asJson);
          const text = await store.observations.valueText(list, `${n}`);
          expect(JSON.stringify(JSON.parse(text ?? '')[0].sent)).toBe(asJson);
          const bytes = Buffer.byteLength(text ?? '');
          const [newest_set] = await store.observations.values(list);
          expect(newest_set).toEqual({ digest: `${n}`, first_seen_at: at, bytes });
          const [newest] = await store.observations.history(handle, { limit: 1 });
          expect(JSON.stringify(newest?.changes[0]?.after.details?.sent)).toBe(asJson);
        }
      });
    });

    describe('bytes of lists', () => {
      const members = [{ name: 'x'.repeat(2_000_000) }];
      const kind = 'tools.surface';
      const [a, b] = ['https://a.example/mcp', 'https://b.example/mcp'] as const;
      const facts = [a, b].map((subject) => ({ kind, subject, value: null, outcome: 'nothing' as const }));
      const put = async (handle: string, day: number, subject: string = a) => {
        const first_seen_at = new Date(Date.UTC(2026, 0, day)).toISOString();
        const list = { digest: `${day}`, first_seen_at, members };
        const packed = await storedTools({ handle, subject }, list);
        await store.write(async (tx) => {
          await tx.observations.putValue(packed);
          await tx.observations.keepValues(handle, facts);
        });
      };
      const stored = async (handle: string, subject: string = a) =>
        (await store.observations.values({ handle, kind, subject })).map(({ digest }) => digest);

      it('are bounded for a listing: the newest of each endpoint stay, and old ones go first', async () => {
        for (const day of [1, 2, 3]) await put('com.bytes/one', day, 'https://b.example/mcp');
        for (const day of [4, 5, 6]) await put('com.bytes/one', day);
        expect(await stored('com.bytes/one')).toEqual(['6', '5']);
        expect(await stored('com.bytes/one', 'https://b.example/mcp')).toEqual(['3', '2']);
        await store.write((tx) => tx.observations.keepValues('com.bytes/one', facts.slice(1)));
        expect(await stored('com.bytes/one')).toEqual([]);
      });

      it('are bounded for the owner of a namespace, and nobody else loses any', async () => {
        const handles = [
          'com.flood0/x',
          'com.floods/x',
          ...Array.from({ length: 36 }, (_, n) => `com.flood.n${n}/x`),
        ];
        for (const [day, handle] of handles.entries()) await put(handle, day + 1);
        const left = await Promise.all(handles.map((handle) => stored(handle)));
        expect(left.map(({ length }) => length).join('')).toBe(`11${'0'.repeat(3)}${'1'.repeat(33)}`);
      });
    });
  };
