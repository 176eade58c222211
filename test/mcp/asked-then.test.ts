import { describe, expect, it } from 'vitest';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

const hosts = ['old.harbour.example', 'new.harbour.example'] as const;
const handle = 'com.harbour/track';
const server = await opened(startModernServer(() => [{ name: 'track', description: 'Tracks a parcel' }]));
const directory = await openedDirectory({
  entries: [],
  environment: {
    LIMITS: 'off',
    HOST_OVERRIDES: JSON.stringify(Object.fromEntries(hosts.map((host) => [host, server.url]))),
  },
});
const client = await opened(connect('v2', { app: directory.app }));
const today = () => directory.context.clock().toISOString().slice(0, 10);

/** Each begins a new version; its record names the other place. */
const days: string[] = [];
for (const [n, place] of ['old', 'new', 'old', 'new'].entries()) {
  const publishedAt = directory.context.clock().toISOString();
  const record = {
    version: `1.${n}.0`,
    ...remotesAt(`https://${place}.harbour.example/mcp`),
    ...onGitHub(`harbour/${place}`),
  };
  await directory.importEntries([registryEntry(handle, record, { publishedAt, updatedAt: publishedAt })]);
  await directory.observe(handle);
  days.push(today());
  if (n < 3) directory.wait(2 * 86_400);
}
const [first = '', second = '', third = '', last = ''] = days;

interface Answer {
  readonly handle: string;
  readonly version_asked?: string;
  readonly statement?: string;
  readonly imported?: Readonly<Record<string, string>>;
  readonly reasons?: readonly { readonly reason: string }[];
  readonly listings?: readonly Answer[];
}
const call = async (tool: string, input: Record<string, unknown>) => {
  const { structuredContent, content } = await client.call(tool, input);
  return { answer: structuredContent as unknown as Answer, text: content[0]?.text ?? '' };
};

const endpointOf = (place: string) => `https://${place}.harbour.example/mcp`;
const repositoryOf = (place: string) => `https://github.com/harbour/${place}`;
const recorded = { [first]: 'old', [second]: 'new', [third]: 'old', [last]: 'new' };
/** The versions that recorded the other endpoint until that day. */
const earlier = {
  [first]: '',
  [second]: `Version \`1.0.0\` of the listing, published ${first},`,
  [third]: `Version \`1.1.0\` of the listing, published ${second},`,
  [last]: `Versions \`1.0.0\` and \`1.2.0\` of the listing, published from ${first} to ${third},`,
};
const notAsked = /the facts are about/;

describe('an address or a repository that a record named on some days, as of a day', () => {
  const asked = days.flatMap((day) =>
    ['old', 'new'].flatMap((place) =>
      [endpointOf(place), repositoryOf(place)].map((name) => ({ day, place, name })),
    ),
  );

  it.each(asked)('is compared with the record of $day: $name', async ({ day, place, name }) => {
    const isNamed = recorded[day] === place;
    const other = recorded[day] ?? '';
    const noun = name.includes('github.com') ? 'repository' : 'endpoint';
    const names = day === last ? 'names' : `named on ${day}`;
    const by =
      noun === 'endpoint' && earlier[day]
        ? ` ${earlier[day]} recorded the endpoint \`${name}\`, for which it names no inputs.`
        : '';
    const which = noun === 'endpoint' ? `, the endpoint \`${endpointOf(other)}\`` : '';
    const said = `You asked about the ${noun} \`${name.replace('https://', '')}\`; the facts are about what the record ${names}${which}.${by}`;

    const agent = await call('get_agent', { handle: name, as_of: day });
    expect(agent.text).toContain(endpointOf(other));
    expect(agent.answer).toMatchObject({ handle });
    expect(agent.answer.version_asked).toBe(isNamed ? undefined : said);
    expect(notAsked.test(agent.text)).toBe(!isNamed);

    const { statement = '' } = (await call('get_history', { handle: name, until: day })).answer;
    expect(statement.includes(said)).toBe(!isNamed);
    expect(notAsked.test(statement)).toBe(!isNamed);

    const sent = { handles: [name], criteria: ['active'], as_of: day };
    const [one] = (await call('compare_agents', sent)).answer.listings ?? [];
    expect(one?.version_asked).toBe(isNamed ? undefined : said);
    expect(one?.imported).toEqual({ active: isNamed ? 'met' : 'unknown' });
    expect(one?.reasons?.map(({ reason }) => reason) ?? []).toEqual(
      isNamed ? [] : ['the record that is shown does not name what was asked for'],
    );
  });
});

it('a period that is asked for has its number of checks, also if none failed or none was made', async () => {
  const said = async (input: object) =>
    (await call('get_history', { handle, ...input })).answer.statement?.match(
      /Of the checks .*? nothing is known\./,
    )?.[0];
  const at = `\`${endpointOf('new')}\``;
  expect(await said({ since: second, until: second })).toBe(
    `Of the checks on ${second} that could tell whether an endpoint answers, ${at} answered 1 of 1; between checks nothing is known.`,
  );
  const idle = new Date(Date.parse(second) + 86_400_000).toISOString().slice(0, 10);
  expect(await said({ since: idle, until: idle, kind: 'reach' })).toBe(
    `Of the checks on ${idle} that could tell whether an endpoint answers, ${at} answered 0 of 0; between checks nothing is known.`,
  );
  expect(await said({ since: second, until: second, kind: 'price' })).toBeUndefined();
  expect(await said({ since: second })).toBeUndefined();
});

it('of a period, each day with a failed check is named, a longer outage as one, and only the oldest of many are counted', async () => {
  let isAway = false;
  const patchy = await opened(
    startModernServer(() => {
      if (isAway) throw new Error('away');
      return [];
    }),
  );
  const entry = registryEntry('com.patchy/api', remotesAt('https://patchy.example/mcp'));
  const environment = { HOST_OVERRIDES: JSON.stringify({ 'patchy.example': patchy.url }) };
  const observed = await openedDirectory({ entries: [entry], environment });
  const own = await opened(connect('v2', { app: observed.app }));
  const dates: string[] = [];
  const away = new Set([1, 3, 6, 9, 12, 14, 16, 18, 20, 21, 25, 26, 27, 28, 31]);
  for (let n = 0; n < 33; n += 1) {
    isAway = away.has(n);
    await observed.observe('com.patchy/api');
    dates.push(observed.context.clock().toISOString().slice(0, 10));
    observed.wait(86_400);
  }
  const said = async (input: object) => {
    const { structuredContent } = await own.call('get_history', { handle: 'com.patchy/api', ...input });
    return (structuredContent as { statement: string }).statement;
  };
  const on = (...days: number[]) => days.map((n) => dates[n]).join(', ');
  const many = `${on(31)}, each day from ${on(25)} to ${on(28)}, ${on(21, 20, 18, 16, 14, 12, 9)} and ${on(6)}: `;
  expect(await said({ since: dates[0] })).toMatch(
    new RegExp(`^Checks of the endpoint failed on ${many}[^.]*, and on 2 days before, the first ${on(1)}\\.`),
  );
  expect(await said({ since: dates[4], until: dates[30] })).toMatch(
    new RegExp(
      `Checks of the endpoint failed on each day from ${on(25)} to ${on(28)}, ${on(21, 20, 18, 16, 14, 12, 9)} and ${on(6)}: [^.]*\\. `,
    ),
  );
  expect(await said({ since: dates[29], until: dates[30] })).not.toContain('failed on');
});
