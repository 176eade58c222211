import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { comparedOf } from '../support/compared.ts';
import { packageAt, registryEntry, remotesAt } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedEndpoint } from '../support/opened.ts';
import { ratingOf } from '../support/ratings.ts';
import { onGitHub } from '../support/registry-entries.ts';

const hosts = ['one.example.com', 'two.example.com'] as const;
const rater = 'io.github.rater/agent';
const steps = ['check', 'other tools', 'gone', 'new version', 'moved', 'rating', 'withdrawal'] as const;
type Step = (typeof steps)[number];
const day_s = 86_400;
const dates = /\d{4}-\d\d-\d\d/g;

let tools: readonly string[] | undefined = ['read'];
let lives = 0;

const json = { 'content-type': 'application/json' };
function answerMcp(body: string): readonly [number, object] {
  const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string };
  if (!tools) return [404, {}];
  if (id === undefined) return [202, {}];
  const listed = tools.map((name) => ({
    name,
    description: `Does ${name}`,
    inputSchema: { type: 'object' },
  }));
  const result =
    method === 'tools/list'
      ? { tools: listed }
      : {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'life', version: '1' },
        };
  return [200, { jsonrpc: '2.0', id, result }];
}

let isClosed = false;
const endpoint = await openedEndpoint((body, _, response) => {
  const [status, answer] = answerMcp(body);
  if (isClosed) response.writeHead(401, { 'www-authenticate': 'Bearer realm="life"' }).end();
  else response.writeHead(status, json).end(JSON.stringify(answer));
});
const directory = await opened(
  openClaimedDirectory({
    entries: [registryEntry(rater, onGitHub('rater/agent'))],
    environment: {
      HOST_OVERRIDES: JSON.stringify(Object.fromEntries(hosts.map((name) => [name, endpoint.url]))),
    },
  }),
);
const capability = await directory.claim(rater, 'rater/agent');
const client = await opened(connect('v2', { app: directory.app }));

const today = () => directory.context.clock().toISOString().slice(0, 10);
const ask = async (name: string, args: Record<string, unknown>) => {
  const { content, structuredContent, isError } = await client.call(name, args);
  return { isError: isError ?? false, text: content[0]?.text ?? '', members: structuredContent };
};
const textOf = async (name: string, args: Record<string, unknown>) => (await ask(name, args)).text;

/** One listing, to which things happen, the first thing its first check. */
async function startLife(isChecked = true) {
  lives += 1;
  const handle = `com.example/life-${lives}`;
  let published = 0;
  let place = 0;
  const rated: string[] = [];
  tools = ['read'];
  const publish = () => {
    published += 1;
    const time = directory.context.clock().toISOString();
    const remotes = [{ type: 'streamable-http', url: `https://${hosts[place % 2]}/${lives}/mcp` }];
    const record = { version: `1.0.${published}`, description: `Edition ${published}`, remotes };
    return directory.importEntries([registryEntry(handle, record, { publishedAt: time, updatedAt: time })]);
  };
  const happen: Readonly<Record<Step, () => Promise<unknown>>> = {
    check: () => directory.observe(handle),
    'other tools': () => {
      tools = tools?.includes('write') ? ['read'] : ['read', 'write'];
      return directory.observe(handle);
    },
    gone: () => {
      tools = tools ? undefined : ['read'];
      return directory.observe(handle);
    },
    'new version': publish,
    moved: () => {
      place += 1;
      return publish();
    },
    rating: async () => {
      const rating = ratingOf(handle, {
        interaction_id: `job-${lives}-${rated.length}`,
        interaction_at: directory.context.clock().toISOString(),
        relationship: 'none',
        comment: 'Fine.',
      });
      const answer = await directory.post('/api/tools/submit_rating', rating, capability);
      if (answer.status !== 200) throw new Error(await answer.text());
      rated.push(((await answer.json()) as { rating_id: string }).rating_id);
    },
    withdrawal: async () => {
      const rating_id = rated.pop();
      if (rating_id !== undefined)
        await directory.post('/api/tools/withdraw_rating', { rating_id }, capability);
    },
  };
  await publish();
  if (isChecked) await directory.observe(handle);
  return { handle, happen: (step: Step) => happen[step]() };
}

/** What every door says of a listing as of a day. */
async function answersOf(handle: string, as_of: string): Promise<string[]> {
  const handles = [handle, rater];
  const page = (ending: string) => directory.app.request(`/agents/${handle}${ending}?as_of=${as_of}`);
  return [
    await textOf('get_agent', { handle, as_of }),
    await textOf('get_agent', { handle, as_of, detail: 'full' }),
    JSON.stringify((await ask('get_agent', { handle, as_of })).members),
    await textOf('compare_agents', { handles, as_of }),
    await textOf('get_history', { handle, until: as_of }),
    await (await page('')).text(),
    await (await page('.json')).text(),
    await (await page('.md')).text(),
  ];
}

describe('an answer as of a day', () => {
  it('does not change once the day is over, whatever happens later', async () => {
    const happened = fc.tuple(fc.constantFrom(...steps), fc.constantFrom(3000, 30_000, 86_400, 200_000));
    await fc.assert(
      fc.asyncProperty(fc.array(happened, { minLength: 4, maxLength: 12, size: 'max' }), async (life) => {
        const { handle, happen } = await startLife();
        const said = new Map<string, readonly string[]>();
        for (const [step, seconds] of life) {
          const before = today();
          directory.wait(seconds);
          if (today() > before) said.set(before, await answersOf(handle, before));
          await happen(step);
        }
        directory.wait(day_s);
        for (const [day, answers] of said) expect(await answersOf(handle, day)).toEqual(answers);
      }),
      { numRuns: 8 },
    );
  });

  it('of today has the facts of the answer without a day', async () => {
    const { handle, happen } = await startLife();
    for (const step of ['other tools', 'rating', 'moved', 'check'] as const) {
      directory.wait(day_s);
      await happen(step);
      const now = await textOf('get_agent', { handle });
      const asked = await textOf('get_agent', { handle, as_of: today() });
      expect(asked).toMatch(/^As of [\d-]+, which is not over in UTC: /);
      expect(asked.split('\n').slice(1).join('\n')).toBe(
        now.replace(/Ratings as of [\d-]+\./, 'The ratings are those of that day, in the groups of today.'),
      );
    }
  });

  it('of a listing that the registry deleted and lists again, the past is not said to begin anew', async () => {
    const began = today();
    const { handle, happen } = await startLife();
    const url = `https://${hosts[0]}/${lives}/mcp`;
    const listed = (status: 'active' | 'deleted') => {
      const updatedAt = directory.context.clock().toISOString();
      const record = { version: '1.0.1', ...remotesAt(url) };
      const statusMessage = status === 'deleted' && { statusMessage: 'Reported: spam' };
      return directory.importEntries([
        registryEntry(handle, record, { status, updatedAt, ...statusMessage }),
      ]);
    };
    directory.wait(day_s);
    const gone = today();
    await listed('deleted');
    const how = ' for a stated reason, which is not kept here (ask its publisher or the registry)';
    expect(await textOf('get_agent', { handle })).toContain(
      `The registry has deleted it${how}, as Dossier read on ${gone}. It was listed here from ${began} to ${gone}; what was known of it then is not shown. This is not`,
    );
    for (const [tool, day] of [
      ['get_agent', { as_of: began }],
      ['get_history', { since: began, until: gone }],
      ['get_history', {}],
    ] as const)
      expect(await ask(tool, { handle, ...day })).toMatchObject({
        members: {
          error: {
            message: expect.stringContaining(
              `It was listed here from ${began} to ${gone}; what was known of`,
            ),
          },
        },
      });
    directory.wait(2 * day_s);
    const back = today();
    await listed('active');
    await happen('check');
    directory.wait(day_s);
    await happen('check');
    const away = `the registry had deleted it${how}, as read from ${gone} until it was back on ${back}`;
    const now = await textOf('get_agent', { handle });
    expect(now).toContain(`Back in the registry: ${away} (record).`);
    expect(now).toContain(`Endpoint over streamable-http answered since ${began}, 3 of 3 checks in 30 days.`);
    expect(now).toMatch(/Next: .*get_history/);
    for (const day of [began, gone])
      expect(await textOf('get_agent', { handle, as_of: day })).toContain(
        `Dossier kept nothing of \`${handle}\` on ${day}: it keeps nothing of the record from before ${back}; ${away}. `,
      );
    expect(await textOf('get_agent', { handle, as_of: back })).toContain('Back in the registry: ');
    const { members } = await ask('get_history', { handle });
    expect(members?.changes).toEqual([
      `${back} listed again; version \`1.0.1\` (published 2026-10-01, read here on ${back})`,
      `${gone} no longer listed (the registry deleted it${how})`,
      expect.stringMatching(new RegExp(`^${began} first check: \\d+ facts \\(log index \\d+\\)$`)),
      `${began} listed for the first time here; version \`1.0.1\` (published 2026-10-01, read here on ${began})`,
    ]);
    const differs = await ask('get_history', { handle, since: began, until: today() });
    expect(differs.members?.differs).toEqual([
      `Of what changed from ${began} on, only what the dates of versions tell is known: Dossier keeps nothing of the record from before ${back}; ${away}.`,
    ]);
  });

  it('of an endpoint that the record left and names again, each stretch has its days', async () => {
    const began = today();
    const { handle, happen } = await startLife();
    const at = `https://${hosts[0]}/${lives}/mcp`;
    const days = [began];
    for (const step of ['moved', 'check', 'moved', 'check'] as const) {
      directory.wait(day_s);
      await happen(step);
      if (step === 'check') await happen(step);
      days.push(today());
    }
    const [, , left = '', moved, back = ''] = days;
    expect(await textOf('get_agent', { handle })).toContain('nswered, 3 of 3 checks in 30 days.');
    const full = await textOf('get_agent', { handle, detail: 'full' });
    expect(full).toContain(`No check asked about it between ${left} and ${back}.`);
    expect(await textOf('get_agent', { handle, as_of: moved })).toContain(
      `Not checked: price, tools; since the record changed, Dossier has not checked what it names; what it saw until ${left} is of what the record named before: see get_history`,
    );
    const history = await textOf('get_history', { handle, until: moved });
    expect(history).toContain(`The last check was on ${left}, of what the record named before.`);
    expect(history).not.toContain('Dossier has made no observation');
    const { members } = await ask('get_history', { handle });
    const { changes } = members as { changes: string[] };
    const ofChecks = changes.filter((one) => one.includes('log index'));
    expect(ofChecks).toEqual([
      expect.stringContaining(`${left} known for the first time: Prices and payees (\`https://${hosts[1]}`),
      expect.stringContaining(`${began} first check: `),
    ]);
    const criteria = ['tools_unchanged_for:1'];
    const compared = await ask('compare_agents', { handles: [handle, rater], criteria });
    expect(Object.values(comparedOf(compared.members)[0]?.results ?? {})).toEqual(['unknown']);
    const surface = await textOf('check_surface', { url: at, tools: [{ name: 'read' }] });
    expect(surface).toContain(`again since ${back} (first on ${began})`);
    const differs = await ask('get_history', { handle, since: left, until: back });
    expect(String(differs.members?.differs)).not.toContain('Tools it lists');
  });

  it('names the day first, and says what to do if nothing is kept of it', async () => {
    const began = today();
    const { handle, happen } = await startLife();
    directory.wait(day_s);
    await happen('new version');
    const asked = await textOf('get_agent', { handle, as_of: began });
    expect(asked).toMatch(
      new RegExp(
        `^As of ${began}, the end of the day in UTC: the last log entry about it by then has the index \\d+\\. `,
      ),
    );
    expect(asked).toContain('“Edition 1”');
    expect(asked).toContain('The ratings are those of that day, in the groups of today.');
    expect(await textOf('get_agent', { handle })).toContain('“Edition 2”');
    const named = await textOf('get_agent', { handle: `one.example.com/${lives}/mcp`, as_of: began });
    expect(named).toMatch(new RegExp(`^Found as .* \\(${today()}\\)\\.\nAs of ${began}, `));
    const before = new Date(Date.parse(began) - day_s * 1000).toISOString().slice(0, 10);
    expect(await textOf('get_agent', { handle, as_of: before })).toContain(
      `Dossier kept nothing of \`${handle}\` on ${before}: it first read the record on ${began}. By the dates of its versions, `,
    );
    const { members: two } = await ask('compare_agents', {
      handles: [handle, rater],
      criteria: [{ criterion: 'active' }],
      as_of: before,
    });
    expect(comparedOf(two)[0]?.problem?.message).toContain(
      `Dossier kept nothing of \`${handle}\` on ${before}`,
    );
    expect(await textOf('get_agent', { handle, as_of: '2999-01-01' })).toContain(
      `as_of must not be after today, ${today()}: ask again on that day.`,
    );
    const page = await (await directory.app.request(`/agents/${handle}?as_of=${began}`)).text();
    expect(page).toContain(`<title>${handle} as of ${began}`);
    expect(page).toContain('Edition 1');
    expect(page).not.toContain('id="connect"');
    const compared = await directory.app.request(
      `/compare?handle=${handle}&handle=${rater}&active=true&as_of=${began}`,
    );
    expect(await compared.text()).toContain(`As of <time>${began}</time>`);
  });

  it('says of a list how long it was and its digest, and only of what was there that it is gone', async () => {
    const { handle, happen } = await startLife();
    const seen = today();
    directory.wait(day_s);
    await happen('gone');
    const missed = today();
    directory.wait(day_s);
    await happen('check');
    const gone = today();
    directory.wait(day_s);
    const full = await textOf('get_agent', { handle, as_of: seen, detail: 'full' });
    expect(full).toContain('* Number of tools: 1 at');
    expect(full).toMatch(/\* Tools it lists: `[0-9a-f]{64}` at/);
    for (const as_of of [undefined, gone]) {
      const told = await textOf('get_agent', { handle, detail: 'full', ...(as_of && { as_of }) });
      expect(told).toContain('Tools it lists were no longer there');
      expect(told).not.toContain('Prices and payees were no longer there');
    }
    const { members } = await ask('get_history', { handle, since: seen, until: gone });
    expect(JSON.stringify(members?.differs)).toContain(
      `answered (HTTP status 200) until ${seen}, since ${missed} looked for, not found (confirmed on ${gone}); no longer seen either: protocol revision, number of tools, tools it lists, hints of the tools`,
    );
  });

  it('says of a day at whose end an opt-out line had withdrawn the listing that it was withdrawn', async () => {
    await startLife();
    const handle = `io.github.life-${lives}/agent`;
    const repository = { url: `https://github.com/life-${lives}/agent`, source: 'github' };
    await directory.importEntries([registryEntry(handle, { repository })]);
    const ask = (as: string) => directory.post('/api/tools/claim_agent', { handle }, as);
    const holder = await directory.claim(handle, `life-${lives}/agent`);
    const listed = today();
    directory.wait(day_s);
    const { commit } = directory.git.createRepository(`life-${lives}/agent`);
    commit({ 'dossier-claim.txt': `optout ${handle}\n` });
    await ask(holder);
    const withdrawn = today();
    directory.wait(day_s);
    commit({ 'dossier-claim.txt': 'nothing\n' });
    await directory.recheck();
    const said = 'The listing was withdrawn then, because of an opt-out line.';
    expect(await textOf('get_agent', { handle, as_of: withdrawn })).toContain(said);
    for (const as_of of [listed, today()])
      expect(await textOf('get_agent', { handle, as_of })).not.toContain(said);
  });

  it('differs by facts that became known and by ratings that say something else', async () => {
    const { handle, happen } = await startLife(false);
    const unknown = today();
    directory.wait(day_s);
    await happen('check');
    const rating = { handle, interaction_at: directory.context.clock().toISOString() };
    const { rating_id: supersedes } = await directory.rate(handle, capability, rating);
    const known = today();
    directory.wait(day_s);
    await directory.rate(handle, capability, { ...rating, outcome: 'failed', supersedes });
    const amended = today();
    directory.wait(day_s);
    const differsOf = async (since: string, until: string) =>
      JSON.stringify((await ask('get_history', { handle, since, until })).members?.differs);
    expect(await differsOf(unknown, known)).toContain('known for the first time: Prices and payees');
    expect(await differsOf(known, amended)).toContain('`failed`: `1` instead of `0`');
    for (const step of ['moved', 'check', 'moved', 'check'] as const) {
      directory.wait(day_s);
      await happen(step);
    }
    expect(await differsOf(amended, today())).not.toContain('known for the first time');
  });

  it('judges no criterion by what is not kept of the day', async () => {
    const { handle } = await startLife();
    await directory.importEntries([
      registryEntry(`com.example.sub/twin-${lives}`, {
        ...packageAt('npm', 'twin'),
        ...onGitHub('rater/agent'),
      }),
    ]);
    for (const _ of ['a', 'b', 'c', 'd']) {
      directory.wait(day_s);
      await directory.recheck();
    }
    const as_of = today();
    directory.wait(day_s);
    const criteria = ['nothing_shared', 'claim_checked_within_days:3'];
    const { members } = await ask('compare_agents', { handles: [rater, handle], criteria, as_of });
    const [compared] = comparedOf(members);
    expect(compared?.results).toEqual({
      nothing_shared: 'unknown',
      'claim_checked_within_days:3': 'unknown',
    });
  });

  it('differs from another day by values with the dates that get_history gives without the days', async () => {
    const { handle, happen } = await startLife();
    const days = [today()];
    for (const step of [
      'check',
      'other tools',
      'check',
      'gone',
      'check',
      'check',
      'gone',
      'check',
    ] as const) {
      directory.wait(day_s);
      await happen(step);
      days.push(today());
    }
    const said = String((await ask('get_history', { handle })).members?.changes);
    const known = new Set(said.match(dates));
    const pairs = days.flatMap((since, at) => days.slice(at + 1).map((until) => ({ since, until })));
    let compared = 0;
    for (const { since, until } of pairs) {
      const { members } = await ask('get_history', { handle, since, until });
      for (const line of (members?.differs ?? []) as string[]) {
        const [words = ''] = line.split(/ \(?between what was known at the ends of /);
        const told = words.match(dates) ?? [];
        expect(told.filter((date) => !known.has(date))).toEqual([]);
        compared += told.length;
      }
    }
    expect(compared).toBeGreaterThan(50);
  });

  it('differs by the names of a list, also where one of the two days has none', async () => {
    const { handle, happen } = await startLife();
    const days = [today()];
    for (const closed of [true, false]) {
      isClosed = closed;
      directory.wait(day_s);
      await happen('check');
      days.push(today());
    }
    const [open = '', shut = '', again = ''] = days;
    const listOf = async (since: string, until: string) => {
      const { members } = await ask('get_history', { handle, since, until });
      return ((members?.differs ?? []) as string[]).find((one) => one.startsWith('Tools it lists'));
    };
    expect(await listOf(open, shut)).toContain(
      `: \`read\` until ${open}, then it asks for credentials first `,
    );
    expect(await listOf(shut, again)).toContain(
      `: it asks for credentials first until ${shut}, then \`read\` `,
    );
  });

  it('differs from another day by what get_history says', async () => {
    const began = today();
    const { handle, happen } = await startLife();
    directory.wait(day_s);
    await happen('other tools');
    await happen('new version');
    const changed = today();
    directory.wait(day_s);
    await happen('other tools');
    const { members } = await ask('get_history', { handle, since: began, until: changed });
    const days = `(between what was known at the ends of ${began} and ${changed})`;
    expect(members?.changes).toEqual([
      expect.stringContaining('record changed (description, version)'),
      expect.stringContaining('first check: 14 facts'),
      expect.stringContaining('listed for the first time here'),
    ]);
    const told = ((members?.differs ?? []) as string[]).map((one) =>
      one.replace(/\(log index \d+\)/, '(log index N)'),
    );
    expect(told).toEqual([
      `Record, claim and ratings: \`description\`: “Edition 2” instead of “Edition 1”, \`version\`: \`1.0.2\` instead of \`1.0.1\` ${days}`,
      `Tools it lists (\`https://one.example.com/${lives}/mcp\`): added \`write\`; last seen without these changes on ${began} (log index N) ${days}`,
      `Hints of the tools (\`https://one.example.com/${lives}/mcp\`): 1 not marked as read-only or destructive until ${began}, then 2 not marked as read-only or destructive (log index N) ${days}`,
    ]);
    expect(String((await ask('get_history', { handle })).members?.changes)).toContain(
      'record changed (description, version); version `1.0.2`, `1.0.1` before',
    );
    const same = await ask('get_history', { handle, since: changed, until: changed });
    expect(same.members?.differs).toEqual([
      `Nothing differs between what was known at the ends of ${changed} and ${changed}.`,
    ]);
    expect(await textOf('get_history', { handle, since: today(), until: began })).toContain(
      `since must not be after until, ${began}.`,
    );
  });
});
