import { gunzipSync } from 'node:zlib';
import type { Directory } from './directory.ts';
import { connect } from './mcp-clients.ts';

/** What is asked for: listings, and what finds them. */
export interface Asked {
  readonly handles: readonly string[];
  /** Words that find one of them. */
  readonly query: string;
  readonly tag?: string;
  /** A view of the operator that has one of them. */
  readonly view?: string;
  readonly rating_ids?: readonly string[];
  /** Who is paid for one of them, as the address of its page names it. */
  readonly payee?: string;
  /** The first entry of the log that is read; 0 by default. */
  readonly firstEntry?: number;
}

const namespaceOf = (handle: string) => handle.slice(0, handle.indexOf('/'));
const urnOf = (handle: string) =>
  `urn:air:${namespaceOf(handle).split('.').toReversed().join('.')}:${handle.slice(handle.indexOf('/') + 1)}`;
const ofView = (view: string | undefined, paths: readonly string[]) =>
  view === undefined ? [] : paths.map((path) => `/views/${view}${path}`);
const versions = (handle: string) => {
  const server = `/v0.1/servers/${encodeURIComponent(handle)}`;
  return [server, `${server}/versions`, `${server}/versions/latest`];
};

/** Every page that shows listings. */
export const pagesOf = ({ handles, query, tag, view, payee }: Asked): readonly string[] => [
  ...handles.flatMap((handle) =>
    ['', '/ratings', '/ratings?group=new_source', '/history', '/tools', '/claim', '/badge'].map(
      (end) => `/agents/${handle}${end}`,
    ),
  ),
  ...new Set(handles.map((handle) => `/publishers/${namespaceOf(handle)}`)),
  '/',
  '/agents',
  `/agents?q=${encodeURIComponent(query)}`,
  '/tags',
  '/log',
  '/about',
  `/compare?${handles.map((handle) => `handle=${handle}`).join('&')}`,
  ...(tag === undefined ? [] : [`/tags/${tag}`]),
  ...(payee === undefined ? [] : [`/payees/${payee}`]),
  ...ofView(view, ['']),
];

/** Every document, feed and answer of the registry API that shows listings; not the log. */
export const documentsOf = ({ handles, query, tag, view, payee }: Asked): readonly string[] => [
  ...handles.flatMap((handle) =>
    [
      '.json',
      '.md',
      '.intoto.json',
      '/history.json',
      '/tools.json',
      '/card.png',
      '/feed.atom',
      '/feed.json',
    ].map((end) => `/agents/${handle}${end}`),
  ),
  ...handles.map((handle) => `/badge/${handle}`),
  ...handles.map((handle) => `/ard/agents/${encodeURIComponent(urnOf(handle))}`),
  ...new Set(handles.map((handle) => `/publishers/${namespaceOf(handle)}/feed.json`)),
  ...handles.flatMap(versions),
  '/v0.1/servers',
  `/v0.1/servers?search=${encodeURIComponent(query)}`,
  '/v0.1/servers?include_deleted=true',
  ...(tag === undefined ? [] : [`/tags/${tag}/feed.atom`, `/tags/${tag}/feed.json`]),
  ...(payee === undefined ? [] : [`/payees/${payee}.json`, `/payees/${payee}.md`]),
  ...ofView(view, [
    '/feed.atom',
    '/feed.json',
    '/.mcp.json',
    '/managed-settings.json',
    '/v0.1/servers',
    ...handles.flatMap(versions),
  ]),
  '/changes?since=0',
  '/feed.atom',
  '/feed.json',
  '/transparency.json',
  '/sitemap.xml',
  '/llms.txt',
];

async function entriesOf({ store }: Directory, { firstEntry = 0 }: Asked): Promise<number[]> {
  const size = await store.log.size();
  return Array.from({ length: size - firstEntry }, (_, at) => firstEntry + at);
}

async function readLog(directory: Directory, asked: Asked): Promise<[string, string][]> {
  const { app } = directory;
  const entries = await entriesOf(directory, asked);
  const paths = ['/log/checkpoint', ...entries.map((at) => `/log/entry/${at}`)];
  return Promise.all(
    paths.map(async (path) => [path, await (await app.request(path)).text()] as [string, string]),
  );
}

async function readMcp(directory: Directory, asked: Asked) {
  const { app } = directory;
  const { handles, query, tag, rating_ids = [] } = asked;
  const client = await connect('v2', { app });
  const entries = await entriesOf(directory, asked);
  const calls: (readonly [string, Record<string, unknown>])[] = [
    ...handles.flatMap((handle) => [
      ['get_agent', { handle }] as const,
      ['get_agent', { handle, detail: 'full' }] as const,
      ['list_ratings', { handle }] as const,
      ['search_agents', { similar_to: handle }] as const,
      ['get_history', { handle }] as const,
      ['check_surface', { handle, tools: [] }] as const,
      ['check_offer', { handle, offer: { payTo: 'nobody', amount: '1' } }] as const,
    ]),
    ['compare_agents', { handles }],
    ['resolve_agents', { handles }],
    ['search_agents', { query }],
    ...entries.map((log_index) => ['get_proof', { log_index }] as const),
    ...rating_ids.map((rating_id) => ['get_proof', { rating_id }] as const),
  ];
  const found: [string, string][] = [];
  for (const [tool, input] of calls)
    found.push([`${tool} ${JSON.stringify(input)}`, JSON.stringify(await client.call(tool, input))]);
  const uris = [
    ...handles.flatMap((handle) =>
      ['', '/ratings', '/tools', '/history'].map((end) => `agent://${handle}${end}`),
    ),
    ...(tag === undefined ? [] : [`agent://tags/${tag}`]),
  ];
  for (const uri of uris) found.push([uri, JSON.stringify(await client.read(uri).catch(() => []))]);
  await client.close();
  return found;
}

/**
 * Everywhere that listings are shown, by name, and what is answered there; of pages the HTML, without the
 * marks of found words.
 */
export async function readDoors(directory: Directory, asked: Asked): Promise<ReadonlyMap<string, string>> {
  const found: [string, string][] = [];
  // Drawing a card is slow, and no text can be found in the bytes of a picture.
  const texts = [...pagesOf(asked), ...documentsOf(asked)].filter((path) => !path.endsWith('.png'));
  for (const path of texts) {
    const answer = await directory.app.request(path, { headers: { accept: 'text/html, */*' } });
    found.push([path, (await answer.text()).replace(/<\/?mark>/g, '')]);
  }
  return new Map([...found, ...(await readLog(directory, asked)), ...(await readMcp(directory, asked))]);
}

/** The doors that show a text. */
export async function whereShown(directory: Directory, asked: Asked, words: string): Promise<string[]> {
  return [...(await readDoors(directory, asked))].flatMap(([door, text]) =>
    text.includes(words) ? [door] : [],
  );
}

/** Everything that the files of the export say, which are written once a day. */
export async function readExport({ app }: Directory): Promise<string> {
  const { files } = (await (await app.request('/export/manifest.json')).json()) as {
    files: { path: string }[];
  };
  const texts = files.map(async ({ path }) =>
    gunzipSync(Buffer.from(await (await app.request(path)).arrayBuffer())).toString('utf8'),
  );
  return (await Promise.all(texts)).join('\n');
}
