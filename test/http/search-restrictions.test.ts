import { expect, it } from 'vitest';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const entry = (handle: string, description: string) => registryEntry(handle, { description });

const directory = await openedDirectory({
  entries: [
    entry('com.notion/mcp', 'Notes of Notion'),
    entry('com.hjarni/notes', 'Notes in files'),
    entry('com.scan/pages', 'Extract text from pages, for cents'),
    entry('com.ocr/ocr', 'OCR'),
    entry('com.ship/ship', 'Ships software'),
    entry('com.tracker/tracker', 'Track a habit'),
    entry('com.login/login', 'OAuth login since 2020'),
    entry('com.two/two', 'Two of 2 or 0'),
    entry('com.gadget/docker', 'Docker images'),
    entry('com.translate/words', 'Translation by call, made with care, newest year'),
    entry('com.googleapis.mapstools/mcp', 'Data from Google Maps'),
    entry('com.atlas/google-maps', 'Google Maps, maps of Google'),
    entry('com.arc/arc', 'Lamps'),
    entry('com.hive/hive', 'Bees'),
    entry('com.salesforce/salesforce', 'Leads'),
    entry('com.hubspot/hubspot', 'Contacts'),
    entry('com.red/book', '搜索小红书'),
    registryEntry('com.every/way', {
      description: 'Filters find it',
      remotes: ['sse', 'streamable-http'].map((type) => ({ type, url: `https://every.com/${type}` })),
      packages: ['npm', 'pypi', 'oci'].map((registryType) => ({
        registryType,
        identifier: 'every',
        transport: { type: 'stdio' },
      })),
    }),
    entry('com.crm/crm', 'Manages client projects for teams'),
  ],
  environment: { LIMITS: 'off' },
});

async function search(query: string) {
  const client = await opened(connect('v2', { app: directory.app }));
  const { content, structuredContent } = await client.call('search_agents', { query });
  const { listings, advice, did_you_mean } = structuredContent as unknown as {
    readonly listings: readonly { readonly handle: string; readonly facts: readonly string[] }[];
    readonly advice?: string;
    readonly did_you_mean?: readonly { readonly word: string; readonly near: readonly string[] }[];
  };
  const matched = listings[0]?.facts.find((fact) => fact.startsWith('matched'));
  const handles = listings.map(({ handle }) => handle);
  return { handles, matched, advice, did_you_mean, text: content[0]?.text ?? '' };
}

it.each([
  'notes app not notion',
  'notes but not Notion',
  'notes except for notion',
  'notes, other than notion',
  'notes instead of "notion"',
])('what a search says it is not is left out, and the answer says so: %s', async (query) => {
  const { handles, advice } = await search(query);
  expect(handles).toEqual(['com.hjarni/notes']);
  expect(advice).toMatch(/^Listings with “notion” are left out, because of “.*notion"?”\.$/i);
});

it.each([
  'notes not working',
  'notes that do not notion',
  'notes not available',
  'notes not found',
  'notes not sure what',
  'notes and not notion anything else',
])('and leaves out nothing where no name is behind it: %s', async (query) => {
  const { handles, advice } = await search(query);
  expect(handles).toContain('com.notion/mcp');
  expect(advice ?? '').not.toContain('left out');
});

it.each([
  [
    'notes without docker',
    '“without docker” leaves out nothing: -docker leaves out listings with this word.',
  ],
  [
    'notes, alternative to docker',
    '“alternative to docker” leaves out nothing: -docker leaves out listings with this word, and similar_to finds what is like a listing.',
  ],
  ['notes, no docker', '“no docker” leaves out nothing: -docker leaves out listings with this word.'],
  ['notes made this year', 'No date is searched: sort by published or updated.'],
  [
    'notes, tools changed',
    'No change is searched: get_history has those of one listing. Of all listings, a Dossier on the web has the newest at /feed.json, and all, the oldest first, at /changes?since=0.',
  ],
  [
    'the most popular notes',
    'Popularity, quality and safety are not searched and change no place; get_agent says what is known.',
  ],
  ['notes under 2 cents per call', 'No price is searched: ask compare_agents for price_at_most:0.02 USDC.'],
  [
    'the safest notes',
    'Popularity, quality and safety are not searched and change no place; get_agent says what is known.',
  ],
  [
    'how many notes are there',
    'Only what matches is counted here: agent://status has the number of all listings.',
  ],
  [
    'are these notes still maintained',
    'A question about one listing is answered by get_agent with its handle, or by get_history.',
  ],
  [
    'who is behind the notes',
    'A question about one listing is answered by get_agent with its handle, or by get_history.',
  ],
  [
    'licence of notes',
    'A question about one listing is answered by get_agent with its handle, or by get_history.',
  ],
  ['notes released in 2026', 'No date is searched: sort by published or updated.'],
  [
    'SSE notes',
    'Words find no such facts; these filters do: transport: sse (a recorded endpoint or package speaks this).',
  ],
  [
    'node only notes',
    'Words find no such facts; these filters do: package: npm (a package of this type is recorded).',
  ],
])('what nothing of a search knows is said and finds nothing: %s', async (query, said) => {
  const { handles, advice, matched } = await search(query);
  expect(handles).toEqual(
    ['com.notion/mcp', 'com.hjarni/notes'].toSorted((a) => (a === handles[0] ? -1 : 1)),
  );
  expect(matched).toBeUndefined();
  expect(advice).toBe(said);
});

it('each word of a phrase counts, and a synonym of the phrase is told instead of its words', async () => {
  const { handles, matched } = await search('extract text');
  expect([handles[0], matched]).toEqual(['com.scan/pages', undefined]);
  expect((await search('text recognition')).text).toContain('instead of `text`, `recognition`');
});

it('and is quoted as written, which is not together', async () => {
  const { text } = await search('jira');
  expect(text).toContain('matched 0 of 1 word; has “projects … manages” instead of `jira`');
});

it('what is only related to an unknown word comes behind what was typed', async () => {
  expect((await search('track my parcel')).handles.slice(0, 2)).toEqual([
    'com.tracker/tracker',
    'com.ship/ship',
  ]);
});

it('no product stands in for the other that is typed beside it', async () => {
  const { text } = await search('salesforce vs hubspot');
  expect(text).not.toMatch(/has `(?:salesforce|hubspot)` instead/);
  expect(text).toContain('matched 1 of 2 words');
});

it('a decimal beside words is no version and decides nothing', async () => {
  for (const query of ['OAuth 2.0 login', 'OAuth 2.0', 'login at 127.0.0.1:3000']) {
    const { handles, matched, advice } = await search(query);
    expect([query, handles[0], matched, advice]).toEqual([query, 'com.login/login', undefined, undefined]);
  }
  expect((await search('login@2.0 OAuth')).advice).toContain('HANDLE@2.0');
});

it('labels that begin with all words come first', async () => {
  expect((await search('google maps')).handles.slice(0, 2)).toEqual([
    'com.googleapis.mapstools/mcp',
    'com.atlas/google-maps',
  ]);
});

it('a word is said to be in no listing, and only what is found instead is named', async () => {
  expect((await search('archive')).did_you_mean).toEqual([{ word: 'archive', near: [] }]);
  expect((await search('archive')).text).toContain(
    'No name, title, tag or description has the word “archive”; no other was searched for instead.',
  );
  const near = await search('trackor');
  expect(near.text).toContain(
    'No name, title, tag or description has the word “trackor”; searched for instead, unless in quotes: `tracker`.',
  );
  const quoted = await search('"trackor" lamps');
  expect([quoted.handles, quoted.did_you_mean]).toEqual([[], [{ word: 'trackor', near: [] }]]);
  expect((await search('3000 lamps')).did_you_mean).toEqual([{ word: '3000', near: [] }]);
  expect((await search('写小红书')).did_you_mean).toEqual([{ word: '写小红书', near: ['小红', '红书'] }]);
});

it('one unknown word of two is not taken for another language', async () => {
  expect((await search('zapier lamps')).advice).toBeUndefined();
  expect((await search('Überweisung lamps')).advice).toBe(
    'Listings are mostly in English; search in English.',
  );
});
