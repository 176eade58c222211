import { expect, it } from 'vitest';
import { packageAt, registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

interface Answer {
  readonly listings: readonly { readonly handle: string; readonly facts: readonly string[] }[];
  readonly did_you_mean?: readonly { readonly word: string; readonly near: readonly string[] }[];
  readonly advice?: string;
}

const entry = (handle: string, description: string) => registryEntry(handle, { description });

const directory = await openedDirectory({
  entries: [
    registryEntry('com.every/way', {
      description: 'Filters find it',
      remotes: ['sse', 'streamable-http'].map((type) => ({ type, url: `https://every.com/${type}` })),
      packages: ['npm', 'pypi', 'oci'].map((registryType) => ({
        registryType,
        identifier: 'every',
        transport: { type: 'stdio' },
      })),
    }),
    entry('com.germany/bill', 'XRechnung & ZUGFeRD for German e-invoices'),
    entry('com.belgium/bill', 'Belgian e-invoicing: Peppol BIS, UBL'),
    entry('com.inbox/reader', 'Reads electronic mail and tides of a WebSocket with a key'),
    entry('com.japan/statistics', '日本の統計'),
    registryEntry('com.post/parcels', packageAt('npm', '@post/parcels', '1.2.0')),
  ],
  environment: { LIMITS: 'off' },
});

async function search(query: string, { app } = directory) {
  const client = await opened(connect('v2', { app }));
  const { content, structuredContent } = await client.call('search_agents', { query });
  return { ...(structuredContent as unknown as Answer), text: content[0]?.text ?? '' };
}

async function matchedBy(query: string, from = directory) {
  const { listings } = await search(query, from);
  return listings.map(({ handle, facts }) => [handle, facts.find((fact) => fact.startsWith('matched'))]);
}

it('counts the words that a listing has, and names what it has instead of others', async () => {
  expect(await matchedBy('XRechnung ZUGFeRD')).toEqual([
    ['com.germany/bill', undefined],
    ['com.belgium/bill', 'matched 0 of 2 words; has “e invoicing” instead of `XRechnung`, `ZUGFeRD`'],
  ]);
  expect(await matchedBy('email WebSockets')).toEqual([
    ['com.inbox/reader', 'matched 1 of 2 words; has `mail` instead of `email`'],
  ]);
  expect(await matchedBy('Websocket tides')).toEqual([['com.inbox/reader', undefined]]);
  expect(await matchedBy('web socket')).toEqual([['com.inbox/reader', undefined]]);
});

it('what may have been meant decides no more than what was typed, and has no synonyms if it is a guess', async () => {
  const shops = await openedDirectory({
    entries: [
      entry('com.broker/broker', 'Broker'),
      ...['a', 'b', 'c'].map((name) => entry(`com.${name}/${name}`, 'Reports the links of a site')),
      entry('com.shop/shop', 'Product price of shops'),
      entry('com.news/deals', 'Read deals, and lead'),
    ],
    environment: { LIMITS: 'off' },
  });
  const handlesOf = async (query: string) =>
    (await search(query, shops)).listings.map(({ handle }) => handle);
  expect((await handlesOf('broken links')).at(-1)).toBe('com.broker/broker');
  expect(await handlesOf('dead')).toEqual(['com.news/deals']);
});

it('of words between which another was typed makes no phrase', async () => {
  const pictures = await openedDirectory({
    entries: [entry('com.ocr/scan', 'OCR of scanned text'), entry('com.art/draw', 'Image generation')],
    environment: { LIMITS: 'off' },
  });
  expect(await matchedBy('OCR text from image', pictures)).toEqual([
    ['com.ocr/scan', 'matched 2 of 3 words'],
    ['com.art/draw', 'matched 1 of 3 words'],
  ]);
  expect((await matchedBy('text to image', pictures))[0]?.[0]).toBe('com.art/draw');
  expect((await matchedBy('text image', pictures))[0]?.[0]).toBe('com.art/draw');
});

it('puts listings with the product that is named before those with the other words, which a synonym replaces in part', async () => {
  const databases = await openedDirectory({
    entries: [
      entry('com.mysql/read-only-mysql', 'Read-only server for queries of MySQL, only to read'),
      ...['a', 'b'].map((name) => entry(`com.${name}/${name}`, 'Reads only; writes code')),
      entry('com.elephant/postgres', 'Runs statements of PostgreSQL'),
      entry('com.trunk/postgres-admin', 'Tunes PostgreSQL'),
      entry('com.code/code-maker', 'Generates code, generates tests'),
      entry('com.squares/maker', 'Draws and reads for phones a QR code, or several'),
      entry('com.voice/voice', 'TTS in many voices'),
      entry('com.pirate/talker', 'Speaks as a pirate'),
      entry('com.files/local', 'Local files'),
      entry('com.us/taxes', 'Taxes of the US'),
      entry('com.user/scan', 'Scans taxes using lasers'),
    ],
    environment: { LIMITS: 'off' },
  });
  const handlesOf = async (query: string) =>
    (await search(query, databases)).listings.map(({ handle }) => handle);
  expect((await handlesOf('postgres server that is read only')).slice(0, 3)).toEqual([
    'com.elephant/postgres',
    'com.trunk/postgres-admin',
    'com.mysql/read-only-mysql',
  ]);
  expect((await handlesOf('generate qr codes'))[0]).toBe('com.squares/maker');
  expect((await handlesOf('turn text into speech'))[0]).toBe('com.voice/voice');
  expect(await handlesOf('translate')).toEqual([]);
  expect(await matchedBy('US taxes', databases)).toEqual([
    ['com.us/taxes', undefined],
    ['com.user/scan', 'matched 1 of 2 words'],
  ]);
});

it('quotes an unknown word as it was typed', async () => {
  const { did_you_mean, text } = await search('XRechnung prüfen Älteste');
  expect(did_you_mean?.map(({ word }) => word)).toEqual(['prüfen', 'Älteste']);
  expect(text).toContain('No name, title, tag or description has the word “prüfen” or “Älteste”; no other');
  const page = await directory.app.request('/agents?q=XRechnung+Pr%C3%BCfen');
  expect(await page.text()).toContain('No name, title, tag or description has the word “Prüfen”.');
});

it('of a package asked for with its version, the words are those of its name', async () => {
  for (const query of ['@post/parcels@1.2.0', 'npx -y @post/parcels@1.2.0', '@post/parcels']) {
    const { listings, did_you_mean } = await search(query);
    expect([query, listings.map(({ handle }) => handle)]).toEqual([query, ['com.post/parcels']]);
    expect(listings[0]?.facts.join()).not.toContain('matched');
    expect(did_you_mean).toBeUndefined();
  }
  const { listings } = await search('@post/parcels@1.1.0');
  expect(listings[0]?.facts[0]).toContain('1.1.0');
});

it.each([
  ['electronic mail v4.20', 'v4.20'],
  ['electronic mail 2.0.60', '2.0.60'],
  ['electronic@2.0.0-rc.1 mail', '2.0.0-rc.1'],
  ['electronic mail 1.7.0b2 latest', '1.7.0b2'],
])('a version is no word beside others, and is asked for elsewhere: %s', async (query, version) => {
  const versions = await openedDirectory({
    entries: [
      entry('com.inbox/reader', 'Reads electronic mail'),
      entry('com.inbox/latest', 'The latest electronic mail'),
      entry('com.numbers/numbers', 'v4 has 20 databases, 2 of 60 with OAuth 2.0, 1 in 7'),
    ],
    environment: { LIMITS: 'off' },
  });
  const { listings, did_you_mean, advice } = await search(query, versions);
  expect(listings.map(({ handle }) => handle)).not.toContain('com.numbers/numbers');
  expect(listings[0]?.facts.join()).not.toContain('matched');
  expect(did_you_mean).toBeUndefined();
  expect(advice).toBe(`No version is searched: ask get_agent for HANDLE@${version}, or get_history.`);
});

it('and is one alone, in quotes, or as a price', async () => {
  for (const query of ['2.0.60', 'mail "2.0"', 'mail for 0.01 USDC', 'mail for $0.01', 'gpt-4.1 10.0.0.0/8'])
    expect((await search(query)).advice ?? '').not.toContain('version');
});

const secretFilter =
  'Words find no such facts; these filters do: needs_secret: false (the record names no secret).';

it.each<[string, string | undefined]>([
  ['electronic mail without api key', secretFilter],
  ['mail that needs no secret', secretFilter],
  ["a mail server which doesn't require a token", secretFilter],
  ['keyless mail', secretFilter],
  ['mail - hosted', 'filters do: has_endpoint: true (a remote endpoint is recorded).'],
  ['hosted mail', 'filters do: has_endpoint: true (a remote endpoint is recorded).'],
  ['remote mail server', 'filters do: has_endpoint: true (a remote endpoint is recorded).'],
  ['self-hosted mail', 'filters do: transport: stdio (a recorded package runs where you start it).'],
  ['mail on my own machine', 'filters do: transport: stdio (a recorded package runs where you start it).'],
  [
    'official mail server',
    'filters do: publisher: example.com (“official”: in the namespace of a domain or an account).',
  ],
  ['password manager', undefined],
  ['API key vault, local news, remote jobs', undefined],
  ...[
    'local mail, no remote',
    'mail without remote',
    'mail not hosted',
    'mail, never remote or hosted',
    'mail, neither remote nor hosted',
    'mail that must not be hosted',
    'non-hosted mail',
    'mail, no cloud or remote servers',
    "mail, don't use remote",
    'mail -remote',
    'mail, remote servers are not allowed',
    'Mail ohne Remote',
    'mail, sans remote',
    'mail, kein hosted',
    'mail local only',
  ].map((query): [string, string] => [
    query,
    'Words find no such facts; these filters do: transport: stdio (a recorded package runs where you start it).',
  ]),
  ...['mail, no local install', 'mail, not self-hosted', 'mail, no need to self-host'].map(
    (query): [string, string] => [
      query,
      'Words find no such facts; these filters do: has_endpoint: true (a remote endpoint is recorded).',
    ],
  ),
  ['mail without sse', undefined],
  ['mail, not official', undefined],
  ['mail no oficial', undefined],
  ['mail 非官方', undefined],
])('words that mean a filter get its name, whatever listings say: %s', async (query, said) => {
  const { advice = '', text } = await search(query);
  expect(advice).not.toContain('remote” leaves out nothing');
  if (said === undefined) expect(advice).not.toContain('filters do');
  else {
    expect(advice).toContain(said);
    expect(text).toContain(said);
  }
});

it.each([
  'electronic mail without an API key',
  'electronic mail that needs no secret',
  'hosted electronic mail, remote',
  'self-hosted electronic mail on-premises',
])('and do not count beside others: %s', async (query) => {
  expect(await matchedBy(query)).toEqual([['com.inbox/reader', undefined]]);
  expect(await matchedBy(`${query} key`)).toEqual([['com.inbox/reader', undefined]]);
  expect((await search(query)).did_you_mean).toBeUndefined();
});

it('and count alone or in quotes', async () => {
  expect((await search('hosted')).did_you_mean?.map(({ word }) => word)).toEqual(['hosted']);
  expect(await matchedBy('mail "remote server"')).toEqual([]);
});

it('a word in which letters are swapped is the word with these letters, in English', async () => {
  const designs = await openedDirectory({
    entries: [
      entry('com.figma/figma', 'Reads designs of Figma'),
      entry('com.prices/prices', 'Prices of a dex'),
      entry('com.pictures/camera', 'Takes a screenshot of pages'),
      entry('com.deploy/gitReleaser', 'Ships code'),
    ],
    environment: { LIMITS: 'off' },
  });
  const swapped = await search('figma desings', designs);
  expect(swapped.listings.map(({ handle }) => handle)).toEqual(['com.figma/figma']);
  expect(swapped.did_you_mean).toEqual([{ word: 'desings', near: ['designs'] }]);
  expect(swapped.advice).toBeUndefined();
  expect((await search('screnshot of a page', designs)).advice).toBeUndefined();
  expect(await matchedBy('deploy code', designs)).toEqual([['com.deploy/gitReleaser', undefined]]);
  expect(await matchedBy('hosting', designs)).toEqual([
    ['com.deploy/gitReleaser', 'matched 0 of 1 word; has `releaser` instead of `hosting`'],
  ]);
});

it.each([
  ['invoces', ['com.bill/bill'], ['invoices']],
  ['recipies', ['com.cook/cook'], ['recipes']],
  ['invocations', ['com.calls/calls'], undefined],
  ['severity', ['com.storm/storm'], ['several']],
  ['caching', ['com.cache/cache'], undefined],
  ['comunication', ['com.talk/talk'], ['communication']],
  ['communication', ['com.talk/talk'], undefined],
  ['genration', [], []],
  ['offical github', ['com.github/mcp', 'com.fork/fork'], ['official']],
  ['github sever', ['com.github/mcp', 'com.fork/fork', 'com.bill/bill'], ['server']],
  ['github "sever"', ['com.storm/storm'], undefined],
  [
    'stock pries',
    ['com.ticks/ticks', 'com.dshop/d', 'com.bshop/b', 'com.ashop/a', 'com.cshop/c', 'com.wind/wind'],
    ['prices', 'pire'],
  ],
])(
  'a word is one that listings write, or another form of it, and else is corrected: %s',
  async (query, handles, near) => {
    const written = await openedDirectory({
      entries: [
        entry('com.bill/bill', 'A server for invoices'),
        entry('com.calls/calls', 'Counts each invocation'),
        entry('com.cook/cook', 'Recipes'),
        entry('com.pay/pay', 'Refunds recipients'),
        entry('com.cache/cache', 'A cache'),
        entry('com.desk/desk', 'Office documents'),
        entry('com.village/commune', 'A commune'),
        entry('com.talk/talk', 'Communication'),
        entry('com.gift/gift', 'Generous gifts'),
        entry('com.storm/storm', 'Several warnings'),
        entry('com.github/mcp', 'Official server of GitHub'),
        entry('com.fork/fork', 'Forks on GitHub'),
        entry('com.ticks/ticks', 'Stock ticks'),
        ...['a', 'b', 'c', 'd'].map((name) => entry(`com.${name}shop/${name}`, 'Prices')),
        entry('com.wind/wind', 'PIREPs'),
      ],
      environment: { LIMITS: 'off' },
    });
    const { listings, did_you_mean, advice = '' } = await search(query, written);
    expect([listings.map(({ handle }) => handle), did_you_mean?.[0]?.near]).toEqual([handles, near]);
    expect(advice.includes('publisher: example.com')).toBe(query.startsWith('offical'));
  },
);

it('a word is not one that listings write once the last of them writes another with its stem', async () => {
  const storm = await openedDirectory({ entries: [entry('com.storm/storm', 'Sever cords')] });
  const nearSever = async () => (await search('sever', storm)).did_you_mean?.[0]?.near;
  expect(await nearSever()).toBeUndefined();
  const description = 'Several cords';
  const updatedAt = '2026-11-20T08:00:00Z';
  await storm.importEntries([registryEntry('com.storm/storm', { description }, { updatedAt })]);
  expect(await nearSever()).toEqual(['several']);
});

it('a misspelt word is corrected though a rare word begins with it, and one alone is no other language', async () => {
  const many = (name: string, description: string) =>
    ['a', 'b', 'c'].map((one) => entry(`com.${one}${name}/${name}`, description));
  const tools = await openedDirectory({
    entries: [
      ...many('figma', 'Designs of Figma'),
      ...many('browser', 'Playwright for browsers'),
      entry('com.words/figmaactor', 'Acts'),
    ],
    environment: { LIMITS: 'off' },
  });
  const asked = async (query: string) => {
    const { listings, did_you_mean, advice } = await search(query, tools);
    return [listings.length, did_you_mean, advice];
  };
  expect(await asked('figmaa')).toEqual([4, [{ word: 'figmaa', near: ['figma', 'figmaactor'] }], undefined]);
  expect(await asked('playwrite')).toEqual([3, [{ word: 'playwrite', near: ['playwright'] }], undefined]);
  expect(await asked('figm')).toEqual([4, [{ word: 'figm', near: ['figma', 'figmaactor'] }], undefined]);
  expect(await asked('designs "figmaa"')).toEqual([0, [{ word: 'figmaa', near: [] }], undefined]);
  for (const query of ['Kalender Termine verwalten', 'Prüfung', 'verwalten'])
    expect((await asked(query))[2]).toBe('Listings are mostly in English; search in English.');
});

it('and a link on the page, unless the search has the filter', async () => {
  const shown = async (query: string) => (await directory.app.request(`/agents?${query}`)).text();
  const page = await shown('q=mail+without+api+key');
  expect(page).toContain(
    'Filter: <a href="/agents?q=mail+without+api+key&amp;needs_secret=false" rel="nofollow">the record names no secret</a>',
  );
  const filtered = await shown('q=mail+without+api+key&needs_secret=false');
  expect(filtered).not.toContain('Filter: <a');
  expect(filtered).not.toContain('these filters do');
});

it('has one line for unknown words of a script without spaces, and advises to search in English', async () => {
  const { text, did_you_mean, advice } = await search('日本の統計（Stat）を使えるサーバーはありますか');
  expect(did_you_mean?.map(({ word }) => word)).toEqual(['Stat', 'を使えるサーバーはありますか']);
  expect(text.match(/description has the word/g)).toHaveLength(1);
  const inEnglish = 'Listings are mostly in English; search in English.';
  expect(advice).toBe(inEnglish);
  const half = await search('lee claves de un WebSocket con la key');
  expect(half.listings[0]?.facts[0]).toBe('matched 2 of 4 words');
  expect(half.advice).toBe(inEnglish);
  expect((await search('key to la WebSocket')).advice).toBeUndefined();
  expect((await search('alpha bravo charlie delta zulu')).text).toContain(
    '“alpha” or “bravo” or “charlie” or 2 more words of the search; no other',
  );
});

it.each([
  ['Termine', 'com.days/book', '`appointments`'],
  ['天気', 'com.sky/sky', '`weather`'],
  ['正體 臺灣', 'com.isle/rail', '`taiwan`'],
  ['correo electrónico', 'com.post/post', '`email`'],
  ['base de données', 'com.store/rows', '`databases`'],
])('finds in English what is named in another language: %s', async (query, handle, has) => {
  const entries = [
    entry('com.shell/shell', 'Terminal'),
    entry('com.days/book', 'Books appointments'),
    entry('com.sky/sky', 'The weather'),
    entry('com.isle/rail', 'Rail of Taiwan'),
    entry('com.post/post', 'Sends email'),
    entry('com.store/rows', 'Reads databases'),
  ];
  const english = await openedDirectory({ entries, environment: { LIMITS: 'off' } });
  const { listings, advice } = await search(query, english);
  expect(listings.map((one) => one.handle)).toEqual([handle]);
  expect(listings[0]?.facts[0]).toContain(`has ${has} instead of`);
  expect(advice).toBe('Listings are mostly in English; search in English.');
});

it.each([
  ['東京の天気 サーバー', 'matched 0 of 2 words; has `weather` instead of “東京の天気”', [['weather'], []]],
  ['台灣天氣', 'matched 0 of 1 word; has `taiwan` instead of “台灣天氣”, `weather`', [['taiwan', 'weather']]],
  ['天气统计软件', 'matched 0 of 1 word; has “统计” instead of “天气统计软件”', [['统计', 'weather']]],
  [
    'homeasistant',
    'matched 0 of 1 word; has “home assistant” instead of `homeasistant`',
    [['home assistant']],
  ],
  [
    'home-asistant',
    'matched 1 of 2 words; has `assistant` instead of `asistant`',
    [['assistant', 'assistants']],
  ],
  ['whatsap', 'matched 0 of 1 word; has `whatsapp` instead of `whatsap`', [['whatsapp']]],
])(
  'counts words as they are typed, and names the same words instead of one everywhere: %s',
  async (query, first, near) => {
    const entries = [
      entry('com.isle/rail', 'The weather of Taiwan'),
      entry('com.sky/sky', 'The weather'),
      entry('com.sum/sums', '统计'),
      entry('com.house/home-assistant-mcp', 'Lights'),
      ...['a', 'b', 'c', 'd', 'e'].map((name) => entry(`com.${name}/${name}`, 'Helps assistants')),
      entry('com.chat/chat', 'WhatsApp for what the SAP says'),
    ];
    const open = await openedDirectory({ entries, environment: { LIMITS: 'off' } });
    const { listings, did_you_mean } = await search(query, open);
    expect(listings[0]?.facts[0]).toContain(first);
    expect(did_you_mean?.map((one) => one.near)).toEqual(near);
  },
);
