import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textOfPage } from '../../scripts/sentence-rules.ts';
import { json, messageOf, reply } from '../support/endpoints/faults.ts';
import { introduction } from '../support/endpoints/saying.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { partOf, seedOf } from '../support/long.ts';
import { connect } from '../support/mcp-clients.ts';
import { offerOf } from '../support/offers.ts';
import { opened, openedDirectory, openedEndpoint } from '../support/opened.ts';

/** How the endpoint answers at a check. */
const states = [
  'one',
  'two',
  'asks',
  'paid A',
  'paid B',
  'unlisted',
  'failed',
  'page',
  'moved',
  'gone',
  'barred',
] as const;
type State = (typeof states)[number];

interface Reading {
  readonly at: string;
  readonly day: string;
  readonly state: State;
}

/** Hours since the check before. */
const after_h = fc.constantFrom(2, 5, 9, 24, 24, 48);
const usual = fc.constantFrom(...states, 'one' as const, 'two' as const);
/** Chance seldom ends a history with two kinds of failure on two days. */
const ends = fc.constantFrom<State[]>([], [], ['page', 'moved'], ['moved', 'page', 'barred']);
const histories = fc
  .tuple(fc.array(fc.record({ state: usual, after_h }), { minLength: 2, maxLength: 9 }), ends)
  .map(([all, end]) => [...all, ...end.map((state) => ({ state, after_h: 24 }))]);

const runs = partOf(20, 100);
let now: State = 'one';
/** Whether the endpoint itself was asked: Dossier keeps a robots.txt for a day. */
let isReached = false;

const address = (end: string) => `0x${end.repeat(40)}`;
const offer = (state: State) => offerOf({ payTo: address(state === 'paid A' ? '4' : '5'), amount: '20000' });

const endpoint = await openedEndpoint((body, request, response) => {
  if (request.url === '/robots.txt' && now === 'barred')
    return void response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /');
  if (request.url !== '/mcp') return void response.writeHead(404).end();
  isReached = true;
  if (now === 'failed') return void response.writeHead(503).end();
  if (now === 'gone') return void response.writeHead(404).end();
  if (now === 'page')
    return void response.writeHead(403, { 'content-type': 'text/html' }).end('<html>Forbidden</html>');
  if (now === 'moved')
    return void response.writeHead(308, { location: 'https://elsewhere.example.org/mcp' }).end();
  if (now === 'asks') return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  if (now === 'paid A' || now === 'paid B')
    return json(
      response,
      { x402Version: 2, resource: { url: 'https://a.example.com/mcp' }, accepts: [offer(now)] },
      402,
    );
  if (body === '') return void response.writeHead(405).end();
  if (messageOf(body).method === 'tools/list' && now === 'unlisted')
    return void response.writeHead(500).end();
  const name = now === 'two' ? 'two' : 'one';
  const tools = [{ name, description: 'A tool.', inputSchema: { type: 'object' } }];
  const introduced = { ...introduction, capabilities: { tools: {} } };
  json(response, reply(body, messageOf(body).method === 'tools/list' ? { tools } : introduced));
});
const directory = await openedDirectory({
  entries: Array.from({ length: 2 * runs + 1 }, (_, n) =>
    registryEntry(`com.example/h${n}`, remotesAt(`https://h${n}.example.com/mcp`)),
  ),
  hosts: Object.fromEntries(Array.from({ length: 2 * runs + 1 }, (_, n) => [`h${n}.example.com`, endpoint])),
});
const imported = directory.context.clock().toISOString().slice(0, 10);
const client = await opened(connect('v2', { app: directory.app }));

async function answersOf(handle: string) {
  const call = async (name: string, input: Record<string, unknown>) =>
    (await client.call(name, input)).content[0]?.text ?? '';
  const read = async (path: string) => (await directory.app.request(path)).text();
  const compared = await call('compare_agents', { handles: [handle, 'com.example/h0'] });
  return {
    short: await call('get_agent', { handle }),
    full: await call('get_agent', { handle, detail: 'full' }),
    compared: compared.slice(0, compared.indexOf('\n`com.example/h0`')),
    history: await call('get_history', { handle }),
    // The marks of the axis repeat the history.
    page: textOfPage(
      (await read(`/agents/${handle}`)).replace(/<svg role="group".*?<\/svg>/gs, ''),
      'foreign',
    ),
    badge: (JSON.parse(await read(`/badge/${handle}.json`)) as { message: string }).message,
  };
}
type Test = (reading: Reading) => boolean;
const isOf =
  (...all: readonly State[]): Test =>
  ({ state }) =>
    all.includes(state);
const answers = isOf('one', 'two', 'asks', 'paid A', 'paid B', 'unlisted');
const fails = isOf('failed', 'page', 'moved');
const lists = isOf('one', 'two');
const always = () => true;
const isAsked: Test = ({ state }) => state !== 'barred';

/** How many of the checks of a day answered, and how many asked. */
const isTally = (all: readonly Reading[], day: string | undefined, tally: readonly number[]) => {
  const asked = all.filter((one) => one.day === day && isAsked(one));
  return isDeepStrictEqual(tally, [asked.filter(answers).length, asked.length]);
};

/** What a check learns of the facts with these titles. Undefined if it learns nothing. */
const learned: Readonly<Record<string, (state: State) => string | undefined>> = {
  Endpoint: (state) => {
    if (state === 'gone' || state === 'asks') return state;
    return state.startsWith('paid') ? 'paid' : answers({ at: '', day: '', state }) ? 'answered' : undefined;
  },
  'Tools it lists': (state) => (state === 'one' || state === 'two' ? state : undefined),
  'Asks for credentials first': (state) =>
    answers({ at: '', day: '', state }) && state !== 'unlisted'
      ? state === 'asks'
        ? 'yes'
        : 'no'
      : undefined,
  // Without its list, an endpoint that asked before may still ask.
  'Asks, but for its list': (state) =>
    answers({ at: '', day: '', state }) ? (state === 'asks' ? 'yes' : 'no') : undefined,
  'Prices and payees': (state) =>
    lists({ at: '', day: '', state }) ? 'none' : state.startsWith('paid') ? state : undefined,
};

/** Whether a fact was one thing in a check of the first day, and in the next that learned it another. */
function isChange(all: readonly Reading[], title: string, [from = '', to = from]: readonly string[]) {
  const known = all.filter(({ state }) => learned[title]?.(state) !== undefined);
  return known.some((one, at) => {
    const next = known[at + 1];
    const isOther = next && learned[title]?.(next.state) !== learned[title]?.(one.state);
    return isOther === true && one.day === from && next?.day === to;
  });
}

/** Whether a check of a day fits, and each one that was asked from then until the last that fits. */
const isRun = (all: readonly Reading[], day: string | undefined, fits: Test, end = all.findLastIndex(fits)) =>
  all.some(
    (one, at) =>
      one.day === day &&
      fits(one) &&
      all
        .slice(at, end + 1)
        .filter(isAsked)
        .every(fits),
  );
const isNever = (all: readonly Reading[], day: string | undefined, fits: Test) =>
  all.some((one, at) => one.day === day && !all.slice(at).some(fits));
const isLast = (all: readonly Reading[], day: string | undefined, fits: Test) =>
  all.findLast(fits)?.day === day;
const isOn = (all: readonly Reading[], days: readonly (string | undefined)[], fits: Test) =>
  days.every((day) => day === undefined || all.some((one) => one.day === day && fits(one)));

const D = '(\\d{4}-\\d\\d-\\d\\d)';
const when = `\\((?:between ${D} and ${D}|on ${D})\\)`;
type Days = readonly (string | undefined)[];
const toDays = ([a, b, c]: Days): string[] => [a ?? c ?? '', b ?? c ?? ''];

/** The checks of which the history says this of the endpoint. */
const said = (words: string): Test =>
  (
    [
      [/^answered/, isOf('one', 'two', 'unlisted')],
      [/sign-in/, isOf('asks')],
      [/payment/, isOf('paid A', 'paid B')],
      [/^no usable answer/, fails],
      [/HTTP 403/, isOf('page')],
      [/HTTP 308/, isOf('moved')],
      [/^something else/, isOf('page', 'moved')],
      [/^looked for, not found/, isOf('gone')],
    ] as const
  ).find(([form]) => form.test(words))?.[1] ?? always;

/** The forms of dated clauses: each matches dates of a text, and says whether the checks bear it out. */
const forms: readonly (readonly [form: string, holds: (all: readonly Reading[], days: Days) => boolean])[] = [
  [
    `(?:Last check by Dossier:|Checked by Dossier:|[Tt]he last check was on) ${D} (\\d\\d:\\d\\d) UTC`,
    (all, [day, hour]) =>
      [all.at(-1), all.findLast(isAsked)].some((one) => one?.at.slice(0, 16) === `${day}T${hour}`),
  ],
  [
    `(HTTP 403|HTTP 308)\\)? instead of MCP \\(Dossier, ${D}\\)`,
    (all, [what, day]) => isOn(all, [day], isOf(what === 'HTTP 403' ? 'page' : 'moved')),
  ],
  [`${D}: no check counted`, (all, [day]) => isTally(all, day, [0, 0])],
  [`${D}: (\\d+) of (\\d+) checks? answered`, (all, [day, ...tally]) => isTally(all, day, tally.map(Number))],
  [
    `answered (\\d+) of (\\d+) checks? of Dossier, made on (\\d+) of the 90 days until ${D} \\(UTC\\)`,
    (all, [answered, checks, days]) => {
      const asked = all.filter(isAsked);
      const isSo = [asked.filter(answers).length, asked.length, new Set(asked.map(({ day }) => day)).size];
      return isDeepStrictEqual([answered, checks, days].map(Number), isSo);
    },
  ],
  [
    `(\\d+) of (\\d+) checks in 30 days until ${D}(?: were answered)?`,
    (all, [answered, made, until = '']) => {
      const first = new Date(Date.parse(until) - 29 * 86_400_000).toISOString().slice(0, 10);
      const asked = all.filter(isAsked).filter(({ day }) => day >= first);
      const isSo = [asked.length, asked.filter(answers).length];
      return asked.at(-1)?.day === until && isDeepStrictEqual([made, answered].map(Number), isSo);
    },
  ],
  [`${D} \\((\\d+) of (\\d+)\\)`, (all, [day, ...tally]) => isTally(all, day, tally.map(Number))],
  [`^${D} ${D}$`, (all, [from = '', to = '']) => from <= to && all.every(({ day }) => day <= to)],
  [
    `USDC on \\w+ (?:from ${D} to ${D}|on ${D})(?:, paid to)?`,
    (all, days) => isOn(all, days, isOf('paid A', 'paid B')),
  ],
  [
    `^\\d+ changes? recorded (?:from ${D} to ${D}|on ${D}): .*\\(Dossier\\)\\.$`,
    (all, days) => isOn(all, days, always),
  ],
  // The record, whose copy is of this day, and the revision of the protocol.
  [`2026-10-0[12]|(?:imported|read by Dossier on) ${imported}|2026-07-28`, () => true],
  [`[Aa]nswered since ${D}, `, (all, [day]) => isRun(all, day, answers)],
  [`[Rr]eturned HTTP 401 since ${D}`, (all, [day]) => isRun(all, day, isOf('asks'))],
  [`[Rr]eturned HTTP 402 since ${D}`, (all, [day]) => isRun(all, day, isOf('paid A', 'paid B'))],
  [
    `No check since ${D} saw the endpoint answer(?: \\(the last check: [^)]*(?:\\([^)]*\\)[^)]*)*\\))?; it last answered (?:on ${D}|earlier that day)`,
    (all, [since, last]) =>
      since !== last &&
      isNever(all, since, answers) &&
      isOn(all, [since], (one) => fails(one) || isOf('gone')(one)) &&
      isLast(all, last ?? since, answers),
  ],
  [
    `No usable answer from the endpoint (?:on ${D}|at any check from ${D} to ${D})`,
    (all, [on, from, to]) => isOn(all, [on, from, to], fails) && isNever(all, on ?? from, answers),
  ],
  [
    `Nothing was at the endpoint (?:on ${D}|at any check from ${D} to ${D})`,
    (all, days) => isOn(all, days, isOf('gone')),
  ],
  [`answered ${D}, \\d+ tools?$`, (all, days) => isOn(all, days, lists)],
  [`answered ${D}$`, (all, [day]) => isLast(all, day, answers)],
  [`it last answered on ${D}`, (all, [day]) => isLast(all, day, answers)],
  [
    `No change was seen in \\d+ checks? since ${D}; …|since ${D}, checks have not seen all facts again`,
    (all, days) => isOn(all, days, always),
  ],
  [
    `no check since (?:${D}|later that day) saw it answer`,
    (all, [day = all.findLast((one) => !answers(one))?.day]) => isNever(all, day, answers),
  ],
  [
    `Checks (?:from ${D} to ${D}|on ${D}) could not tell whether the endpoint answers`,
    (all, days) => isOn(all, days, isOf('barred')),
  ],
  [
    `Its tools changed (?:between ${D} and ${D}|on ${D})`,
    (all, days) => isChange(all, 'Tools it lists', toDays(days)),
  ],
  [
    `(?:began to ask|stopped asking) for credentials first ${when}`,
    (all, days) =>
      isChange(all, 'Asks for credentials first', toDays(days)) ||
      isChange(all, 'Asks, but for its list', toDays(days)),
  ],
  [
    `were no longer there ${when}`,
    (all, [before, after]) =>
      isOn(all, [before], answers) && isOn(all, [after], (one) => answers(one) || isOf('gone')(one)),
  ],
  [
    `No observation (?:of \\S+ )?is newer than ${D}|Last (?:checked|counted) on ${D}, not since`,
    (all, days) => isOn(all, days.filter(Boolean), isAsked),
  ],
  [
    `(?:began to quote 0\\.02 USDC on Base|payee changed from \\S+ to \\S+ on Base) ${when}`,
    (all, days) =>
      ['Prices and payees', 'Tools it lists'].some((title) => isChange(all, title, toDays(days))),
  ],
  [
    `could not be read by checks since ${D}, although the endpoint answered; it was last read (?:on ${D}|earlier that day)`,
    (all, [since, last]) => since !== last && isNever(all, since, lists) && isLast(all, last ?? since, lists),
  ],
  [
    `Answered checks: .*; the first of these checks was on ${D}`,
    (all, [day]) => all.find(isAsked)?.day === day,
  ],
  [`^\\* ${D} first check`, (all, [day]) => all[0]?.day === day],
  [
    `^\\* ${D} Endpoint \\([^)]*\\): (.*) until ${D}, (?:then|since (?:${D}|later that day)) (.*?)(?: \\(confirmed (?:on ${D}|later that day)\\))?(?=;| \\(log)`,
    (all, [at, was = '', until, since = at, is = '', confirmed]) =>
      isOn(all, [until], said(was)) && isOn(all, [since, confirmed], said(is)),
  ],
  [
    `^\\* ${D} .* until ${D}, (?:then|since (?:${D}|later that day))(?:.* \\(confirmed (?:on ${D}|later that day)\\))?`,
    (all, days) => isOn(all, days.filter(Boolean), always),
  ],
  [`^\\* ${D} .*last seen (?:without these changes )?on ${D}`, (all, days) => isOn(all, days, always)],
  [`^\\* ${D} known for the first time`, (all, days) => isOn(all, days, always)],
  [
    `Checks of the endpoint failed on ${D}(?: and ${D})?: .*HTTP 403`,
    (all, days) => isOn(all, days, isOf('page')),
  ],
  [
    `Checks of the endpoint failed on ${D}(?: and ${D})?: .*HTTP 308`,
    (all, days) => isOn(all, days, isOf('moved')),
  ],
  [`Checks of the endpoint failed on .*\\.$`, always],
  [`no tool says read-only or destructive since ${D}`, (all, days) => isOn(all, days, always)],
  [
    `the present ones since ${D}, and others last (?:on ${D}|earlier that day)`,
    (all, [since, last]) => since !== last && isOn(all, [since, last], lists),
  ],
  [
    `were last seen by Dossier on ${D}; since then the endpoint has answered`,
    (all, [day]) => isLast(all, day, lists),
  ],
  [`Unchanged (?:from ${D} to ${D}|on ${D})`, (all, days) => isOn(all, days, always)],
  [`not seen by checks since ${D}`, (all, [day]) => isOn(all, [day], (one) => !lists(one))],
  [`checks since ${D} were not conclusive`, (all, [day]) => isOn(all, [day], (one) => !lists(one))],
  [`(?:the same since|first seen by Dossier on) ${D}`, (all, days) => isOn(all, days, (one) => !fails(one))],
  [`[Ss]ince ${D}: `, (all, [day]) => isOn(all, [day], lists)],
  [`[Oo]n ${D}: `, (all, days) => isOn(all, days, always)],
  [
    `[Ll]ast seen on ${D}; checks since (?:${D}|later that day) did not see it again`,
    (all, [last, since]) => since !== last && isOn(all, [last], answers) && isOn(all, [since], always),
  ],
  [`Checks since ${D} did not see whether`, (all, days) => isOn(all, days, always)],
  [
    `first seen on ${D}, and the earlier state was last seen (?:on ${D}|earlier that day)`,
    (all, [is, was]) => is !== was && isOn(all, [is, was], answers),
  ],
  [`seen so until ${D}`, (all, days) => isOn(all, days, always)],
  [
    `\\d+ changes (?:to and fro between two|among \\d+) states since ${D}`,
    (all, days) => isOn(all, days, always),
  ],
  [
    `the same each time that Dossier saw them (?:from ${D} to ${D}|on ${D})`,
    (all, days) => isOn(all, days, lists),
  ],
  [
    `(?:no offer but this|exactly these offers) since ${D}`,
    (all, days) => isOn(all, days, isOf('paid A', 'paid B')),
  ],
  [
    `(?:no price but this|exactly these prices) since ${D} and (?:no payee but this|exactly these payees) since ${D}`,
    (all, days) => isOn(all, days, isOf('paid A', 'paid B')),
  ],
  [
    `[Aa]sked for [^;|]* until ${D}, not since; calls may cost`,
    (all, days) => isOn(all, days, isOf('paid A', 'paid B')),
  ],
  [`[Ll]ast seen on ${D}`, (all, days) => isOn(all, days, always)],
  [`[Nn]o price at the check of ${D}`, (all, days) => isOn(all, days, isOf('one', 'two', 'unlisted'))],
  [
    `The endpoint returned (HTTP 403|a redirect [^)]*\\)) instead of MCP \\(on ${D}(?: and on ${D})?\\)(?=[;.])`,
    (all, [what = '', ...days]) => isOn(all, days, isOf(what === 'HTTP 403' ? 'page' : 'moved')),
  ],
  [`\\(Dossier, ${D}\\)|Dossier, ${D}`, (all, days) => isOn(all, days.filter(Boolean), always)],
  [
    `(?:[Aa]s of|counted on|this service,|claims made on Dossier,|claimed listings,) ${D}`,
    (all, [day]) => isLast(all, day, always),
  ],
];

/** A badge has no years. */
const withYears = (text: string, all: readonly Reading[]): string =>
  all.reduce((said, { day }) => {
    const short = new Date(day).toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    });
    return said.replace(new RegExp(`(?<!\\d)${short}`), day);
  }, text);

/** The dated clauses that no form has, and those that the checks do not bear out. */
function falseIn(text: string, all: readonly Reading[]): string[] {
  const found: string[] = [];
  for (const line of text.split('\n')) {
    let left = line;
    for (const [form, holds] of forms)
      left = left.replace(new RegExp(form, 'g'), (clause, ...groups) => {
        const days = groups.slice(
          0,
          groups.findIndex((one) => typeof one === 'number'),
        ) as Days;
        if (!holds(all, days)) found.push(`false: ${clause}`);
        return '…';
      });
    if (/\d{4}-\d\d-\d\d/.test(left)) found.push(`no form: ${left}`);
  }
  return found;
}

it('each dated clause of each answer is so in the checks of that day', async () => {
  const seed = seedOf(11);
  for (const [n, history] of fc.sample(histories, { numRuns: runs, seed }).entries()) {
    const handle = `com.example/h${n + 1}`;
    const all: Reading[] = [];
    for (const { state, after_h } of history) {
      directory.wait(after_h * 3600);
      [now, isReached] = [state, false];
      await directory.observe(handle);
      const at = directory.context.clock().toISOString();
      all.push({
        at,
        day: at.slice(0, 10),
        state: isReached ? (state === 'barred' ? 'one' : state) : 'barred',
      });
    }
    const found = Object.entries(await answersOf(handle)).flatMap(([door, text]) =>
      falseIn(door === 'badge' ? withYears(text, all) : text, all).map((clause) => `${door}: ${clause}`),
    );
    const made = all.map(({ at, state }) => `${at.slice(0, 16)} ${state}`);
    expect({ seed, n, made, found }).toMatchObject({ found: [] });
  }
});
