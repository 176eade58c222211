import { type Directory, openDirectory } from '../../test/support/directory.ts';
import { registryEntry } from '../../test/support/entries.ts';
import { conducts, type FaultyProxy, startProxy } from './proxy.ts';
import type { Running } from './start.ts';
import { classesOf } from './tool-classes.ts';
import type { Truth } from './truth.ts';

const day_s = 86_400;
export const handle = 'com.example.days/mcp';
const host = 'days.example.com';

/**
 * What a day says of an endpoint: the outcome of its last judged check, and everything that a buyer reads
 * first.
 */
interface Told {
  readonly outcome: string;
  readonly isMissed: boolean;
  readonly text: string;
}

async function tell({ app, store }: Directory): Promise<Told> {
  const answer = await app.request('/api/tools/get_agent', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle }),
  });
  const { lines, stands_out = [] } = (await answer.json()) as { lines: object; stands_out?: string[] };
  const { observations = [] } = (await store.observations.ofListing(handle)) ?? {};
  const reach = observations.find(({ kind }) => kind === 'endpoint.answers');
  return {
    outcome: reach?.outcome ?? 'none',
    isMissed: reach?.missed !== undefined,
    text: [...stands_out, ...Object.values(lines)].join('\n'),
  };
}

/** Makes requests that a proxy leaves without an answer end soon, and no other ones. */
function setPatience({ context }: Directory, isSilent: boolean): void {
  const ms = isSilent ? 200 : 10_000;
  const names = ['observerFirstTry_ms', 'observerSecondTry_ms', 'observerExchange_ms'];
  Object.assign(context.timeouts, Object.fromEntries(names.map((name) => [name, ms])));
}

/** A listing whose endpoint is behind a proxy in front of a server, which has been checked once. */
export async function openBehindProxy(running: Running) {
  const { origin, pathname } = new URL(running.url);
  const proxy = await startProxy(origin);
  const url = `https://${host}${pathname}`;
  const directory = await openDirectory({
    entries: [registryEntry(handle, { remotes: [{ type: running.transport, url }] })],
    environment: {
      DATABASE_URL: ':memory:',
      LIMITS: 'off',
      HOST_OVERRIDES: JSON.stringify({ [host]: proxy.url }),
    },
  });
  const check = async (isSilent = false) => {
    setPatience(directory, isSilent);
    const { changes, observations } = await directory.observe(handle);
    const told = await tell(directory);
    directory.wait(day_s);
    return { ...told, changes, observations };
  };
  await check();
  const close = async () => {
    await directory.close();
    await proxy.close();
  };
  return { directory, proxy, url, check, close };
}

/** What must be so on the second day of a fault, and after it. */
interface Expected {
  readonly outcome: 'seen' | 'silent' | 'otherwise' | 'absent';
  /** Whether what was known stands because nothing newer was learned. */
  readonly isMissed?: true;
  readonly says: RegExp;
  readonly neverSays: RegExp;
  /** How many facts change over the two days; any number if it is absent. */
  readonly changes?: number;
}

const noAnswer = /no answer from/i;
const otherwise = /instead of MCP/;
const changed = /changed|stopped asking|began to ask/i;
const never = (...all: RegExp[]) => new RegExp(all.map(({ source }) => source).join('|'), 'i');
const silent = (says: RegExp): Expected => ({
  outcome: 'silent',
  says,
  neverSays: never(otherwise, changed),
  changes: 1,
});
const returned = (says: RegExp): Expected => ({
  outcome: 'otherwise',
  says,
  neverSays: never(noAnswer, changed),
  changes: 1,
});
/** The endpoint was not asked, or a part of what it sends is not known. */
const untold = (says: RegExp): Expected => ({
  outcome: 'seen',
  says,
  neverSays: never(noAnswer, otherwise, changed),
  changes: 0,
});
const notAsked = { ...untold(/not seen by checks since|not asked/), isMissed: true } as const;
const limited = { ...untold(/not seen by checks since[\s\S]*HTTP 429/), isMissed: true } as const;
const asksFirst: Expected = {
  outcome: 'seen',
  says: /It began to ask for credentials first/,
  neverSays: never(noAnswer, otherwise, /tools changed/),
};
const asUsual = untold(/answered since/i);
const listUnread = untold(/list of tools could not be read/i);

type Name = Exclude<keyof typeof conducts, 'passes'>;

/** What must be said of each fault of a proxy that lasts two days, in front of a server of the older era. */
const expected: Readonly<Record<Name, Expected>> = {
  '429': limited,
  '429 for a day': limited,
  '503': silent(/No usable answer from the endpoint[\s\S]*HTTP 503/),
  '502 as a page': silent(/No usable answer from the endpoint[\s\S]*HTTP 502/),
  '404': {
    outcome: 'absent',
    says: /Nothing was at the endpoint/,
    neverSays: never(noAnswer, otherwise, /tools changed/),
  },
  resets: silent(/No usable answer from the endpoint[\s\S]*a connection that broke off/),
  'resets in the body': silent(/No usable answer from the endpoint[\s\S]*a connection that broke off/),
  'accepts and is silent': silent(/No usable answer from the endpoint[\s\S]*no answer in time/),
  'challenge to bots': returned(/a challenge to bots \(HTTP 403\) instead of MCP/),
  'web page': returned(/a web page \(HTTP 200\) instead of MCP/),
  'empty answer': returned(/HTTP 200\) instead of MCP/),
  'redirect to another host': returned(/a redirect to another host, `elsewhere\.example\.org` \(HTTP 302\)/),
  'asks to sign in': asksFirst,
  'redirect to a sign-in page': { ...asksFirst, neverSays: never(asksFirst.neverSays, /answered HTTP 302/) },
  'robots.txt 503': silent(/returned HTTP 503 even for its robots\.txt/),
  'robots.txt silent': silent(/no answer in time\. The request was for robots\.txt/),
  'robots.txt refuses': notAsked,
  'discovery 502': asUsual,
  'initialize 503': silent(/No usable answer from the endpoint[\s\S]*HTTP 503/),
  'list 500': listUnread,
  'list asks to sign in': asksFirst,
  'list is cut': listUnread,
  'list is unknown': {
    outcome: 'seen',
    says: /Tools it lists were no longer there/,
    neverSays: never(noAnswer, otherwise),
  },
  'sessions are lost': listUnread,
  'session is taken': notAsked,
};
/** Messages of the older era that a server of the newer one is not sent. */
const notSentAtNewest: ReadonlySet<string> = new Set(['initialize 503', 'session is taken']);

/** What is not told truly of a fault that lasts two days, and of the day on which it has passed. */
async function playFault(running: Running, { protocol }: Truth, name: Name): Promise<string[]> {
  const { proxy, check, close } = await openBehindProxy(running);
  const isNewest = protocol === '2026-07-28';
  const { outcome, isMissed, says, neverSays, changes } =
    isNewest && notSentAtNewest.has(name) ? asUsual : expected[name];
  proxy.conduct = conducts[name];
  const isSilent = name.endsWith('silent');
  const first = await check(isSilent);
  const second = await check(isSilent);
  proxy.conduct = conducts.passes;
  // A server with one session is asked again after seven days.
  const returnsLater = name === 'session is taken';
  const after = returnsLater ? undefined : await check();
  await close();
  const made = first.changes + second.changes;
  return [
    ...(second.outcome === outcome ? [] : [`is ${second.outcome}, not ${outcome}`]),
    ...(isMissed === undefined || second.isMissed ? [] : ['is not marked as missed']),
    ...(says.test(second.text) ? [] : [`does not say ${says}: ${second.text}`]),
    ...(neverSays.test(second.text) ? [`says ${neverSays.exec(second.text)?.[0]}: ${second.text}`] : []),
    ...(changes === undefined || made === changes ? [] : [`${made} facts changed, not ${changes}`]),
    ...(after && (after.outcome !== 'seen' || /tools changed/i.test(after.text))
      ? [`after it: ${after.outcome}, ${after.text}`]
      : []),
  ];
}

/** Plays every fault in front of a server: what is not told truly of each. */
export async function playFaults(running: Running, truth: Truth): Promise<ReadonlyMap<string, string[]>> {
  const wrong = new Map<string, string[]>();
  for (const name of Object.keys(expected) as Name[]) wrong.set(name, await playFault(running, truth, name));
  return wrong;
}

/** What must be said once another server stands behind the same address. */
interface Switch {
  readonly to: Running;
  readonly truth: Truth;
  /** Faults on the day of the switch. */
  readonly meanwhile?: Name;
}

interface ToolChange {
  readonly tool: string;
  readonly class: string;
}

/** The tools of the newest change of a list of tools, as the history tells it. */
async function changedTools({ app }: Directory): Promise<readonly ToolChange[]> {
  const answer = await app.request(`/agents/${handle}/history.json`);
  const { events } = (await answer.json()) as {
    events: { is_first?: boolean; changes?: { kind: string; items?: ToolChange[] }[] }[];
  };
  const changes = events.filter(({ is_first }) => !is_first).flatMap(({ changes: all = [] }) => all);
  return changes.find(({ kind, items }) => kind === 'tools.surface' && items)?.items ?? [];
}

/**
 * What is not told truly after a switch: which tools changed and how, which revision is spoken, and in which
 * transport.
 */
export async function playSwitch(
  from: { readonly running: Running; readonly truth: Truth },
  { to, truth, meanwhile }: Switch,
): Promise<string[]> {
  const { directory, proxy, url, check, close } = await openBehindProxy(from.running);
  if (meanwhile) {
    proxy.conduct = conducts[meanwhile];
    await check();
  }
  turnTo(proxy, to);
  const { observations, text, outcome } = await check();
  const told = await changedTools(directory);
  await close();
  const { reason } = observations.find(({ kind }) => kind === 'endpoint.answers') ?? {};
  const protocol = observations.find(({ kind }) => kind === 'endpoint.protocol')?.value;
  const happened = classesOf(from.truth.tools, truth.tools);
  const classes = new Map(told.map((one) => [one.tool, one.class]));
  const differing = [...new Set([...happened.keys(), ...classes.keys()])].filter(
    (tool) => happened.get(tool) !== classes.get(tool),
  );
  return [
    ...(outcome === 'seen' ? [] : [`is ${outcome}`]),
    ...differing.map((tool) => `${tool}: told ${classes.get(tool)}, happened ${happened.get(tool)}`),
    ...(happened.size === 0 || /tools changed/i.test(text)
      ? []
      : [`does not say that its tools changed: ${text}`]),
    ...(happened.size > 0 || !/tools changed/i.test(text) ? [] : [`says that its tools changed: ${text}`]),
    ...(truth.protocol === undefined || protocol === truth.protocol
      ? []
      : [`speaks ${protocol}, not ${truth.protocol}`]),
    ...(url.endsWith('/sse') === (to.transport === 'sse') || /it answers as/.test(reason ?? '')
      ? []
      : [`does not say that the transport is another than the recorded one: ${reason}`]),
  ];
}

function turnTo(proxy: FaultyProxy, { url }: Running): void {
  proxy.target = new URL(url).origin;
  proxy.conduct = conducts.passes;
}
