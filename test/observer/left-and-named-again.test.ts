import { expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { startX402Server } from '../support/endpoints/paid-endpoint.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { askOf } from '../support/offers.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const payees = { own: `0xa11ce${'0'.repeat(35)}`, other: `0x6011${'0'.repeat(36)}` };
const swing = 'com.example.swing/pay';
const tern = 'com.example.tern/rates';
const rater = 'com.example.other/x';
const paid = await opened(startX402Server(() => ({ dollars: '$0.01', payTo: payees.own })));
const rate = { name: 'rate', description: 'Rate of a currency' };
const hosts = {
  'pay.example.com': paid,
  'pay.example.net': await opened(startX402Server(() => ({ dollars: '$0.90', payTo: payees.other }))),
  'rates.example.com': await opened(startModernServer(() => [rate])),
  'rates.example.net': await opened(
    startModernServer(() => [rate, { name: 'drain', description: 'Empties a wallet' }]),
  ),
};
const directory = await openedDirectory({ entries: [registryEntry(rater, {})], hosts });
const client = await opened(connect('v2', { app: directory.app }));
const check_s = 86_400;
const today = () => directory.context.clock().toISOString().slice(0, 10);
const dayBefore = (day: string) => new Date(Date.parse(day) - check_s * 1000).toISOString().slice(0, 10);
const call = async (name: string, args: Record<string, unknown>) => {
  const { content, structuredContent } = await client.call(name, args);
  return { text: content[0]?.text ?? '', members: structuredContent };
};
const textOf = async (name: string, args: Record<string, unknown>) => (await call(name, args)).text;

let version = 0;
const name = async (...domains: ('com' | 'net')[]) => {
  version += 1;
  const time = directory.context.clock().toISOString();
  const entry = (handle: string, host: string) => {
    const remotes = domains.map((one) => ({
      type: 'streamable-http',
      url: `https://${host}.example.${one}/mcp`,
    }));
    const record = { version: `1.0.${version}`, remotes };
    return registryEntry(handle, record, { publishedAt: time, updatedAt: time });
  };
  await directory.importEntries([entry(swing, 'pay'), entry(tern, 'rates')]);
};
const check = async () => {
  for (const handle of [swing, tern]) await directory.observe(handle);
};
/** Checks on so many days. */
const days = async (count: number) => {
  for (let nth = 0; nth < count; nth += 1) {
    await check();
    directory.wait(check_s);
  }
};

it('an endpoint that the record left and named again is unchanged since then only', async () => {
  const began = today();
  await name('com');
  await days(5);
  const away = today();
  const left = dayBefore(away);
  await name('net');
  await days(1);
  expect(await directory.audit()).toEqual([]);
  const during = today();
  await days(9);
  const back = today();
  const until = dayBefore(back);
  await name('com');
  await days(3);
  const { header } = await askOf(paid, 'pay.example.com');
  const compare = () => textOf('check_offer', { handle: swing, offer: header });
  const before = `seen before from ${began} to ${left} (5 checks)`;
  expect(await compare()).toContain(`again since ${back} (3 checks), ${before}`);
  await days(4);
  const last = dayBefore(today());

  const criteria = ['pay_to_unchanged_for:14', 'pay_to_unchanged_for:5'];
  const compared = await call('compare_agents', { handles: [swing, rater], criteria });
  expect(Object.values(comparedOf(compared.members)[0]?.results ?? {})).toEqual(['not_met', 'met']);
  const tools = ['tools_unchanged_for:14', 'tools_unchanged_for:5'];
  const listed = await call('compare_agents', { handles: [tern, rater], criteria: tools });
  expect(Object.values(comparedOf(listed.members)[0]?.results ?? {})).toEqual(['not_met', 'met']);

  const again = (kind: string, handle: string) => textOf('get_history', { handle, since: during, kind });
  const prices = await again('price', swing);
  expect(prices).toContain(
    `* ${back} named again by the record, and seen again: Prices and payees (\`https://pay.example.com/mcp\`): 0.01 USDC on Base (paid to \`${payees.own}\`), as on ${left}; elsewhere, until ${until}: 0.9 USDC on Base (paid to \`${payees.other}\`)\n`,
  );
  expect(prices).toContain(
    `Unchanged from ${back} to ${last}, in each check that saw the fact: prices and payees: 0.01 USDC`,
  );
  const lists = await again('tools', tern);
  expect(lists).toContain(
    `* ${back} named again by the record, and seen again: Tools it lists (\`https://rates.example.com/mcp\`), as on ${left}; elsewhere, until ${until}: others\n`,
  );
  expect(lists).toContain(
    `Unchanged from ${back} to ${last}, in each check that saw the fact: tools it lists: \`rate\`.`,
  );

  const agent = await textOf('get_agent', { handle: swing });
  expect(agent).toContain(`HTTP 402 since ${back}, answered in 12 of 12 checks in 30 days.`);
  expect(agent).toContain(`paid to \`${payees.own}\`, the same since ${back}.`);
  expect(await textOf('get_agent', { handle: tern })).toContain(`* Tools: Since ${back}: \`rate\``);
  const full = await textOf('get_agent', { handle: tern, detail: 'full' });
  expect(full).toContain(`No check asked about it between ${away} and ${back}.`);
  expect(await compare()).toContain(`as seen since ${back} (7 checks), ${before}`);
  const url = 'https://rates.example.com/mcp';
  const surface = await textOf('check_surface', { url, tools: [rate] });
  expect(surface).toContain(`again since ${back} (first on ${began}), last on ${last}`);
  expect(await directory.audit()).toEqual([]);
});

it('an endpoint that stays is unchanged since the record left another beside it', async () => {
  await name('com', 'net');
  await days(3);
  const left = today();
  await name('com');
  await days(3);
  const criteria = ['pay_to_unchanged_for:5', 'pay_to_unchanged_for:2'];
  const compared = await call('compare_agents', { handles: [swing, rater], criteria });
  expect(Object.values(comparedOf(compared.members)[0]?.results ?? {})).toEqual(['not_met', 'met']);
  const history = await textOf('get_history', { handle: swing, since: dayBefore(left), kind: 'price' });
  expect(history).not.toContain('No such change was seen');
  expect(history).toContain(`Unchanged from ${left} to`);
});
