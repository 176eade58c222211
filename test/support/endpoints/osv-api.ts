import { type Endpoint, startEndpoint } from './mcp-endpoint.ts';

/** A package as OSV names it. */
type Named = readonly [ecosystem: string, name: string];

/** A record of OSV, with the members that records of malicious-packages and of GitHub have. */
export const osvRecord = (
  id: string,
  [ecosystem, name]: Named,
  affected: Readonly<{ ranges?: object[]; versions?: string[] }>,
  more: object = {},
) => ({
  modified: '2026-02-03T18:38:39Z',
  published: '2026-01-01T22:52:55Z',
  schema_version: '1.7.0',
  id,
  aliases: ['SNYK-JS-1'],
  summary: id.startsWith('MAL-') ? `Malicious code in ${name} (${ecosystem})` : `A fault of ${name}`,
  details: '\n---\n_-= Per source details. Do not edit below this line.=-_\n',
  affected: [
    {
      package: { ecosystem, name, purl: `pkg:${ecosystem.toLowerCase()}/${name}` },
      ...affected,
      database_specific: { cwes: [{ cweId: 'CWE-506', name: 'Embedded Malicious Code' }] },
    },
  ],
  references: [{ type: 'PACKAGE', url: `https://npmjs.com/package/${name}` }],
  credits: [{ name: 'A finder', type: 'FINDER', contact: ['https://finder.example'] }],
  ...more,
});
export type OsvRecord = ReturnType<typeof osvRecord>;

/** Every version from one on, until one that is fixed. */
export const since = (introduced: string, fixed?: string) => ({
  ranges: [{ type: 'SEMVER', events: [{ introduced }, ...(fixed === undefined ? [] : [{ fixed }])] }],
});

interface Query {
  readonly package: { readonly name: string; readonly ecosystem: string };
  readonly version?: string;
  readonly page_token?: string;
}

/**
 * The API of OSV on loopback (https://google.github.io/osv.dev/post-v1-query/): it answers with the records
 * of a package that were not withdrawn, or of one version if that is asked for, in pages; a package without
 * records has an empty object. A record has an address of its own, also if it was withdrawn.
 */
export const startOsvApi = (
  records: () => readonly OsvRecord[],
  { pageSize = 1000, status = () => 200 }: { pageSize?: number; status?: () => number } = {},
): Promise<Endpoint> =>
  startEndpoint((body, { url, method }, response) => {
    const send = (code: number, json: object) =>
      void response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    const id = /^\/v1\/vulns\/(.+)$/.exec(url ?? '')?.[1];
    const asked = records().find((one) => one.id === id);
    if (asked && method === 'GET') return send(status(), asked);
    if (url !== '/v1/query' || method !== 'POST') return send(404, { code: 5, message: 'Not Found' });
    if (status() !== 200) return send(status(), { code: 13, message: 'internal error' });
    const query = JSON.parse(body) as Query;
    const { name, ecosystem } = query.package;
    const isOfVersion = ({ versions = [] }: OsvRecord['affected'][number]) =>
      query.version === undefined || versions.includes(query.version);
    const found = records().filter(
      ({ affected, ...more }) =>
        !('withdrawn' in more) &&
        affected.some(
          (one) => one.package.name === name && one.package.ecosystem === ecosystem && isOfVersion(one),
        ),
    );
    const from = Number(query.page_token ?? 0);
    const vulns = found.slice(from, from + pageSize);
    const next = from + pageSize < found.length ? { next_page_token: String(from + pageSize) } : {};
    send(200, vulns.length === 0 ? {} : { vulns, ...next });
  });
