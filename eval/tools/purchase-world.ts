import { openClaimedDirectory } from '../../test/support/claimed-directory.ts';
import { type Directory, documentOf } from '../../test/support/directory.ts';
import { askOf, unknownToken, usdc } from '../../test/support/offers.ts';
import { readRealEntries } from '../../test/support/registry-entries.ts';
import { entriesAt } from './purchase-entries.ts';
import { type Made, payees, quotesAccepts, startServers } from './purchase-servers.ts';
import { townEntriesAt } from './purchase-town-entries.ts';
import { startTown, townNames, townRepositories } from './purchase-town-servers.ts';

const day_s = 86_400;
/** Ordinary listings beside those of the world, where the saved copy of the registry is. */
const ordinary = 100;

/** Repositories that are there. */
const repositories = [
  'oldname/tool',
  'newname/tool',
  'brambly/sql-mcp',
  'bob/x',
  'harbor/pdf',
  'bundler/notes',
  'bundler/todo',
  'sharp/excel',
  'snake/weather',
  'workerly/translate',
  'steady/notes',
  'stripe/agent-toolkit',
  'portage/crm',
  'portage-labs/crm',
  ...townRepositories,
];

const addresses = (servers: Readonly<Record<string, { readonly url: string }>>) =>
  JSON.stringify(Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, url])));

/** A challenge of MPP whose request has other values. */
const withRequest = (challenge: string, more: object) =>
  challenge.replace(/request="([^"]+)"/, (_, request: string) => {
    const before = JSON.parse(Buffer.from(request, 'base64url').toString('utf8')) as object;
    return `request="${Buffer.from(JSON.stringify({ ...before, ...more })).toString('base64url')}"`;
  });

/** The payment requests that the questions hold, by name, as JSON or as the value of a header. */
async function offersOf({ hosts }: Awaited<ReturnType<typeof startServers>>) {
  const at = (host: string) => {
    const server = hosts[host];
    if (!server) throw new Error(`there is no ${host}`);
    return askOf(server, host);
  };
  const { required } = await at('api.parcelpost.dev');
  const [first] = required?.accepts ?? [];
  if (!required || !first) throw new Error('the parcel service asks for nothing');
  // A server behind a proxy without TLS would write http.
  const resource = { ...required.resource, url: 'https://api.parcelpost.dev/mcp' };
  const changed = (more: object) =>
    JSON.stringify({ ...required, resource, accepts: [{ ...first, ...more }] });
  const { challenge } = await at('mcp.tollgate.com');
  const version1Of = async (host: string, more: object) => {
    const body = JSON.parse((await at(host)).body) as { readonly accepts: readonly object[] };
    return JSON.stringify({ ...body, accepts: body.accepts.map((one) => ({ ...one, ...more })) });
  };
  const { amount, extra, ...rest } = first;
  const version1 = {
    ...rest,
    network: 'base',
    maxAmountRequired: amount,
    extra,
    resource: 'https://api.parcelpost.dev/mcp',
    description: '',
    mimeType: 'application/json',
  };
  const toolResult = (payTo: string) => {
    const accepts = quotesAccepts.map((one) => ({ ...one, payTo }));
    const resource = { url: 'mcp://tool/stock_quote', description: 'A stock quote' };
    const structuredContent = { x402Version: 2, error: 'Payment required', resource, accepts };
    return JSON.stringify({
      isError: true,
      structuredContent,
      content: [{ type: 'text', text: 'Payment required' }],
    });
  };
  return {
    parcelpost: changed({}),
    parcelpost_payee: changed({ payTo: payees.other }),
    parcelpost_asset: changed({ asset: unknownToken, extra: { name: 'USD Coin', version: '2' } }),
    parcelpost_amount: changed({ amount: '200000' }),
    parcelpost_network: changed({
      network: 'eip155:84532',
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    }),
    parcelpost_v1: JSON.stringify({ x402Version: 1, error: 'Payment required', accepts: [version1] }),
    quotes: toolResult(payees.quotes),
    quotes_payee: toolResult(payees.other),
    parcelpost_two: JSON.stringify({
      ...required,
      resource,
      accepts: [first, { ...first, amount: '10000', payTo: payees.other }],
    }),
    tollgate: challenge,
    tollgate_recipient: withRequest(challenge, { amount: '5000', recipient: payees.other }),
    threeways_lower: await version1Of('mcp.threeways.com', { maxAmountRequired: '10000' }),
    cashgrab: await version1Of('mcp.cashgrab.com', {}),
    switched_former: await version1Of('mcp.switched.com', { payTo: payees.shared }),
    rotator: (await at('mcp.rotator.com')).body,
    unlisted: JSON.stringify({
      payTo: payees.other,
      url: 'https://api.unlistedshop.io/v1/report',
      network: 'eip155:8453',
      asset: usdc,
      amount: '150000',
    }),
    shared: payees.shared,
  };
}

/** The digests of the skills or tools of a listing, as one who approves them stores them. */
async function pinsOf(
  directory: Pick<Directory, 'app'>,
  handle: string,
  surface: 'skills' | 'tools',
): Promise<string> {
  const { observations } = (await documentOf(directory, handle)) as {
    observations: readonly {
      kind: string;
      details?: Partial<Record<typeof surface, readonly { name: string; sha256: string }[]>>;
    }[];
  };
  const found = observations.find(({ kind }) => kind === `${surface}.surface`)?.details?.[surface];
  if (!found?.length) throw new Error(`no ${surface} of ${handle} were seen`);
  return JSON.stringify(Object.fromEntries(found.map(({ name, sha256 }) => [name, sha256])));
}

/**
 * A directory whose listings were checked five, four and two days ago and today; between the second and the
 * third check records, a payee, a skill and a tool changed. One service is down at the third check alone.
 */
export async function openPurchaseWorld() {
  const made: Made = { hasChanged: false, isDown: false };
  const servers = await startServers(made, await startTown(made));
  const directory = await openClaimedDirectory({
    entries: [],
    environment: {
      HOST_OVERRIDES: addresses(servers.hosts),
      PACKAGE_REGISTRIES: addresses(servers.registries),
      ADVISORIES: servers.advisories.url,
    },
  });
  for (const path of repositories)
    directory.git
      .createRepository(path)
      .commit({ 'README.md': 'code' }, 'main', new Date(Date.now() - 60 * day_s * 1000));
  directory.git.fault = ({ url }, response) => {
    if (!made.hasChanged || !url?.startsWith('/oldname/tool')) return false;
    response.writeHead(301, { location: url.replace('/oldname/', '/newname/') }).end();
    return true;
  };
  const crowd = (readRealEntries() ?? [])
    .filter(({ _meta }) => _meta['io.modelcontextprotocol.registry/official'].isLatest)
    .slice(0, ordinary);
  const before = [...crowd, ...entriesAt.before, ...townEntriesAt.before];
  const after = [...crowd, ...entriesAt.after, ...townEntriesAt.after];
  const handles = new Set(before.slice(crowd.length).map(({ server }) => String(server.name)));
  const check = async () => {
    for (const handle of handles) await directory.observe(handle);
  };
  const isoDay = () => directory.context.clock().toISOString().slice(0, 10);
  directory.wait(-5 * day_s);
  await directory.importEntries(before);
  const first = isoDay();
  await check();
  const pins = await pinsOf(directory, 'com.skilled/invoices', 'skills');
  const book_pins = await pinsOf(directory, 'com.library/books', 'tools');
  directory.wait(day_s);
  await check();
  directory.wait(2 * day_s);
  made.hasChanged = true;
  made.isDown = true;
  const down = isoDay();
  await servers.changeSkill();
  await directory.importEntries(after);
  await check();
  made.isDown = false;
  directory.wait(2 * day_s);
  await check();
  return {
    directory,
    entries: after,
    /** What stands in the questions by name. */
    named: { ...(await offersOf(servers)), ...townNames, pins, book_pins, first, down } as Readonly<
      Record<string, string>
    >,
    async close() {
      await directory.close();
      await servers.close();
    },
  };
}
