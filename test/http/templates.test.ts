import { expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { json, reply } from '../support/endpoints/faults.ts';
import { introduction } from '../support/endpoints/saying.ts';
import { packaged, registryEntry, remotesAt } from '../support/entries.ts';
import { openedDirectory, openedEndpoint } from '../support/opened.ts';

/** What the record writes, and what the caller fills in; undefined for an address that is to be called. */
const addresses: Readonly<Record<string, readonly [url: string, asks: string | undefined]>> = {
  braces: ['https://open.example.com/{tenant}/mcp', 'tenant'],
  encoded: ['https://open.example.com/%7Btenant%7D/mcp', 'tenant'],
  brackets: ['https://open.example.com/mcp/[YOUR_GENERATED_TOKEN]', 'YOUR_GENERATED_TOKEN'],
  escaped: ['https://open.example.com/mcp/%5BTOKEN%5D', 'TOKEN'],
  query: ['https://open.example.com/mcp?user=[USER]&plain=1', 'USER'],
  angles: ['https://open.example.com/mcp/<your-token>', 'your-token'],
  capitals: ['https://open.example.com/mcp?key=YOUR_API_KEY', 'YOUR_API_KEY'],
  host: ['https://YOUR_HOST.example.com/mcp', 'YOUR_HOST'],
  named: ['https://open.example.com/mcp?filter[name]=a&ids[]=1', undefined],
  settings: ['https://open.example.com/mcp?config=%7B%22a%22%3A1%7D', undefined],
  words: ['https://open.example.com/your_mail/YOURS', undefined],
};
const handleOf = (name: string) => `com.example.open/${name}`;
const names = Object.keys(addresses);

const asked = new Set<string>();
const server = await openedEndpoint((body, { url = '' }, response) => {
  asked.add(url);
  if (body === '') return void response.writeHead(404).end();
  json(response, reply(body, { ...introduction, tools: [] }));
});
const directory = await openedDirectory({
  entries: [
    ...names.map((name) => registryEntry(handleOf(name), remotesAt(addresses[name]?.[0] ?? ''))),
    registryEntry('com.example.open/described', {
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://open.example.com/{tenant}/mcp',
          variables: { tenant: { description: 'The name of your team', isRequired: true } },
        },
      ],
    }),
    registryEntry('com.example.open/six', remotesAt('https://[2001:db8::1]/mcp')),
    packaged('com.example.open/package', 'npm', 'open-mcp', '1.0.0'),
    ...Array.from({ length: 101 }, (_, at) =>
      registryEntry(`com.crowd/n${at}`, remotesAt(`https://{tenant}.crowd.example.net/${at}`)),
    ),
    ...Object.entries({
      'com.lathkill/erp': { url: 'https://{tenant}.lathkill.com/mcp' },
      'com.garganey/mail': { url: 'https://api.garganey.com/{tenant}/mcp' },
      'com.smew/maps': {
        url: 'https://smew.com/{region}-{team}/mcp?key={key}',
        variables: { region: { description: 'Where it runs', choices: ['eu', 'us'] } },
      },
      'com.twin/one': { url: 'https://{tenant}.twin.example.net/mcp' },
      'com.twin/two': { url: 'https://{team}.twin.example.net/mcp' },
      'com.knot/two': { url: 'https://{a}{b}.knot.example.net/mcp' },
      'com.knot/many': { url: `https://knot.example.net/${'{a}-'.repeat(11)}` },
      'com.teal/hosted': { url: 'https://{project}.vercel.app/mcp' },
      'com.teal/any': { url: 'https://{host}/mcp' },
    }).map(([handle, remote]) =>
      registryEntry(handle, { remotes: [{ type: 'streamable-http', ...remote }] }),
    ),
  ],
  hosts: { 'open.example.com': server },
  environment: { LIMITS: 'off' },
});

async function post(tool: string, input: object): Promise<unknown> {
  return (await directory.post(`/api/tools/${tool}`, input)).json();
}
/** Why it is not known whether a secret is needed. */
async function whyUnknown(handle: string) {
  const handles = [handle, 'com.example.open/package'];
  const answer = await post('compare_agents', { handles, criteria: [{ criterion: 'needs_no_secret' }] });
  const [one, silent] = comparedOf(answer);
  expect(one?.results).toEqual({ needs_no_secret: 'unknown' });
  expect(silent).toMatchObject({
    results: { needs_no_secret: 'unknown' },
    reasons: { needs_no_secret: 'a package may ask for some that no record states' },
  });
  return one?.reasons?.needs_no_secret;
}

const notMarked = 'what the record does not mark as secret may be one';
const notInRecords = 'an endpoint may ask for some that no record states';

it.each(names)('an address with a part to fill in is a template in any spelling: %s', async (name) => {
  const [url, part] = addresses[name] ?? [];
  const handle = handleOf(name);
  const isOpen = part !== undefined;
  expect(await whyUnknown(handle)).toBe(isOpen ? notMarked : notInRecords);
  const found = (await post('search_agents', { query: handle, needs_secret: false })) as {
    readonly listings: readonly { readonly handle: string }[];
  };
  expect(found.listings.some((one) => one.handle === handle)).toBe(!isOpen);
  const page = await (await directory.app.request(`/agents/${handle}`)).text();
  expect(page.includes('The recorded endpoint is a template')).toBe(isOpen);
  expect(page.includes('&quot;url&quot;: ')).toBe(!isOpen);
  const document = (await (await directory.app.request(`/agents/${handle}.json`)).json()) as object;
  expect(document).toMatchObject(
    isOpen
      ? { remotes: [{ url, inputs: [{ name: part, kind: 'variable', required: false, unmarked: true }] }] }
      : { endpoint: url },
  );
  expect('endpoint' in document).toBe(!isOpen);
  asked.clear();
  const { observations } = await directory.observe(handle);
  const answers = observations.find(({ kind }) => kind === 'endpoint.answers');
  expect(answers?.outcome).toBe(isOpen ? 'not_asked' : 'seen');
  expect(asked.size > 0).toBe(!isOpen);
});

it('what the record says of a part is all that is asked, and an address of IPv6 is no template', async () => {
  expect(await whyUnknown('com.example.open/described')).toBe(notInRecords);
  expect(await whyUnknown('com.example.open/six')).toBe(notInRecords);
  const six = await directory.app.request('/agents/com.example.open/six');
  expect(await six.text()).not.toContain('is a template');
});

it('an answer names the template and the part', async () => {
  const answer = JSON.stringify(await post('get_agent', { handle: 'com.example.open/brackets' }));
  expect(answer).toContain('emplate `https://open.example.com/mcp/[YOUR_GENERATED_TOKEN]`');
  expect(answer).toContain(
    'Takes a variable placeholder `YOUR_GENERATED_TOKEN`, not marked as secret (record)',
  );
});

const fits = (url: string) =>
  `the only listing that records a template that fits this address, \`${url}\`; recording does not show control; Dossier checks no address of a template`;
const lathkill = 'https://{tenant}.lathkill.com/mcp';
const garganey = 'https://api.garganey.com/{tenant}/mcp';
const smew = 'https://smew.com/{region}-{team}/mcp?key={key}';

it.each([
  ['https://acme.lathkill.com/mcp', 'com.lathkill/erp', lathkill],
  ['https://ACME.lathkill.com:443/mcp/', 'com.lathkill/erp', lathkill],
  ['https://acme.lathkill.com/mcp?debug=1', 'com.lathkill/erp', lathkill],
  ['https://a.b.lathkill.com/mcp', undefined],
  ['https://lathkill.com/mcp', undefined],
  ['https://acme.lathkill.com/sse', undefined],
  ['https://acme-lathkill.com/mcp', undefined],
  ['https://api.garganey.com/acme.io/mcp', 'com.garganey/mail', garganey],
  ['https://api.garganey.com/mcp', undefined],
  ['https://api.garganey.com/a/b/mcp', undefined],
  ['https://smew.com/eu-north-7/mcp?key=s3cret', 'com.smew/maps', smew],
  ['https://smew.com/xx-north/mcp?key=s3cret', undefined],
  ['https://smew.com/eu-north/mcp', undefined],
  ['https://anybody.vercel.app/mcp', undefined],
  ['https://acme.crowd.example.net/7', undefined],
  ['https://ab.knot.example.net/mcp', 'com.knot/two', 'https://{a}{b}.knot.example.net/mcp'],
  ['https://a.knot.example.net/mcp', undefined],
  [`https://knot.example.net/${'a-'.repeat(11)}`, undefined],
  ['https://any.example.net/mcp', undefined],
])('an address that fits a template leads to its listing: %s', async (address, handle, url = '') => {
  const [resolved] = ((await post('resolve_agents', { handles: [address] })) as { results: object[] })
    .results;
  const agent = await post('get_agent', { handle: address });
  const search = JSON.stringify(await post('search_agents', { query: address }));
  expect(JSON.stringify([resolved, agent, search])).not.toContain('s3cret');
  if (handle === undefined) {
    expect(resolved).toMatchObject({ outcome: 'not_listed' });
    expect(agent).toMatchObject({ code: 'unknown_handle' });
    expect(search).not.toContain('is the only listing');
    return;
  }
  expect(resolved).toMatchObject({ outcome: 'listed', handle, found_by: fits(url) });
  expect(agent).toMatchObject({ handle, found_by: fits(url) });
  expect(search).toContain(JSON.stringify(fits(url)).slice(1, -1));
  const surface = await post('check_surface', { handle: address, tools: [] });
  expect(surface).toMatchObject({ handle, result: 'never_seen' });
  expect(JSON.stringify(await post('check_offer', { url: address, offer: {} }))).toContain(fits(url));
});

it('the choices of a part are said', async () => {
  expect(JSON.stringify(await post('get_agent', { handle: 'com.smew/maps' }))).toContain(
    'Takes a variable `region` (one of `eu`, `us`); takes variables `team`, `key`, not marked as secret (record).',
  );
});

it('of several templates that fit, none is chosen, and one that does not fit is named near', async () => {
  for (const [tool, input] of [['get_agent', {}] as const, ['check_surface', { tools: [] }] as const]) {
    const answer = await post(tool, { handle: 'https://a.twin.example.net/mcp', ...input });
    expect(answer).toMatchObject({
      code: 'several_listings',
      candidates: [{ handle: 'com.twin/one' }, { handle: 'com.twin/two' }],
    });
    expect(JSON.stringify(answer)).toContain(
      '2 listings record a template that fits this address. Recording does not show control; Dossier checks no address of a template.',
    );
  }
  expect(await post('get_agent', { handle: 'https://lathkill.com/mcp' })).toMatchObject({
    near: ['com.lathkill/erp'],
    detail: expect.stringContaining(
      'No listing shown here records this address as an endpoint, a repository or a package; `com.lathkill/erp` is in a namespace of `lathkill.com` and records `https://{tenant}.lathkill.com/mcp`.',
    ),
  });
  expect(JSON.stringify(await post('get_agent', { handle: 'http://acme.lathkill.com/mcp' }))).toContain(
    'can be read on its way; the record names `https://{tenant}.lathkill.com/mcp`.',
  );
  expect(await post('get_agent', { handle: 'acme.lathkill.com/mcp' })).toMatchObject({
    handle: 'com.lathkill/erp',
  });
});
