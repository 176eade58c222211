import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  contradictionsIn,
  emptyIn,
  outcomesIn,
  ownWordsOf,
  repeatedIn,
  sentencesOf,
  statementsOf,
  textOfPage,
  unchangedIn,
} from '../../scripts/sentence-rules.ts';
import { partOf, seedOf } from '../support/long.ts';
import {
  foreignWord,
  type MadeUp,
  openMadeUp,
  outcomeOf,
  type World,
  world,
} from '../support/made-up-world.ts';
import { type AnyClient, connect } from '../support/mcp-clients.ts';

type Json = Readonly<Record<string, unknown>>;
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
interface Found {
  readonly listings: readonly { readonly handle: string; readonly facts: readonly string[] }[];
}

const criteria = [
  'endpoint_observed_alive',
  'endpoint_at_domain',
  'nothing_shared',
  'price_known',
  'no_payment_seen',
  'tools_unchanged_for:1',
  'pay_to_unchanged_for:1',
  'listed_for_days:100',
  'has_repository',
  'package_not_deprecated',
  'needs_no_secret',
  'active',
];

/** Everything that is said of a listing, by door. Members of get_agent that others write are left out. */
async function readSaid({ app }: MadeUp, client: AnyClient, handle: string, other: string) {
  const call = async (name: string, input: Json) => {
    const { content, structuredContent = {} } = await client.call(name, input);
    return { text: content[0]?.text ?? '', json: structuredContent as Json };
  };
  const read = async (path: string) => (await app.request(path)).text();
  const answer = await call('get_agent', { handle });
  const { title: _, description: __, endpoint: ___, repository: ____, tags: _____, ...own } = answer.json;
  const found = (await call('search_agents', { query: handle })).json as unknown as Found;
  const similar = (await call('search_agents', { similar_to: handle })).json as unknown as Found;
  const compared = (await call('compare_agents', { handles: [handle, other], criteria })).text;
  const history = await call('get_history', { handle });
  const feed = JSON.parse(await read(`/agents/${handle}/feed.json`)) as { items: { title: string }[] };
  const page = (path: string) => read(`/agents/${handle}${path}`);
  return {
    document: JSON.parse(await read(`/agents/${handle}.json`)) as Json,
    stands_out: textsIn(own.stands_out).join(' '),
    hit: found.listings.find((one) => one.handle === handle)?.facts ?? [],
    similar: similar.listings,
    texts: {
      JSON: textsIn(own).join('\n'),
      text: answer.text,
      Markdown: (await call('get_agent', { handle, detail: 'full' })).text,
      hit: found.listings.flatMap(({ facts }) => facts).join('\n'),
      similar: similar.listings.flatMap(({ facts }) => facts).join('\n'),
      criteria: compared.slice(0, compared.indexOf(`\n\`${other}\``)),
      history: textsIn(history.json).join('\n'),
      'history as text': history.text,
      feed: feed.items.map(({ title }) => title).join('\n'),
      badge: (JSON.parse(await read(`/badge/${handle}.json`)) as { message: string }).message,
    },
    pages: {
      page: await page(''),
      'page of versions': await page('/versions'),
      'page of history': await page('/history'),
      'page of the publisher': await read(`/publishers/${handle.slice(0, handle.indexOf('/'))}`),
    },
  };
}

/** What is said of a listing of a made-up world, and what is so of it. */
type Answer = Awaited<ReturnType<typeof readSaid>> & {
  readonly made: World;
  /** Whether its source records no package and no repository of any listing. */
  readonly isBare: boolean;
  /** Its place among the four listings of its world. */
  readonly at: number;
  readonly names: Awaited<ReturnType<MadeUp['make']>>;
  /** The first line of what get_agent answers to a name. */
  readonly ask: (name: string) => Promise<string>;
};

const kinds = ['endpoint', 'package', 'repository', 'description'] as const;
const seed = seedOf(11);
const answers: Answer[] = [];
const opened: { close(): Promise<void> }[] = [];
for (const isBare of [false, true]) {
  const directory = await openMadeUp(isBare);
  const client = await connect('v2', directory);
  opened.push(client, directory);
  const ask = async (handle: string) =>
    (await client.call('get_agent', { handle })).content[0]?.text?.split('\n')[0] ?? '';
  const [first, ...others] = fc.sample(world, { numRuns: partOf(5, 40), seed });
  if (!first) throw new Error('no world');
  // Whatever else is made up, there are listings that were never checked and have no history, and twins in
  // everything.
  const plain = { ...first, isChecked: false, hasHistory: false };
  const twins = { ...first, isChecked: true, twins: [...kinds] };
  for (const made of [plain, twins, ...others]) {
    const names = await directory.make(made);
    for (const at of [0, 3] as const) {
      const said = await readSaid(directory, client, names.handles[at] ?? '', names.handles[3 - at] ?? '');
      answers.push({ ...said, made, isBare, at, names, ask });
    }
  }
}
afterAll(async () => {
  for (const one of opened) await one.close();
});

/**
 * Every text by its door; of pages, what is written there, or only what is not marked as the words of others.
 */
const textsOf = ({ texts, pages }: Answer, keeps: 'foreign' | 'own'): [door: string, text: string][] => [
  ...Object.entries(texts),
  ...Object.entries(pages).map(([name, page]): [string, string] => [name, textOfPage(page, keeps)]),
];

/** That a rule finds nothing in any answer; a failure names the world, and the seed that makes it again. */
async function expectNone(rule: (answer: Answer) => unknown[] | Promise<unknown[]>) {
  for (const answer of answers) {
    const found = await rule(answer);
    const { made, isBare, at } = answer;
    if (found.length > 0) expect({ seed, made, isBare, at, found }).toMatchObject({ found: [] });
  }
}
const inTexts = (
  answer: Answer,
  keeps: 'foreign' | 'own',
  find: (text: string, door: string) => readonly unknown[],
) => textsOf(answer, keeps).flatMap(([door, text]) => find(text, door).map((one) => [door, one]));

describe('whatever publishers record and endpoints answer', () => {
  it('no change is said from a value to the same value', () =>
    expectNone((answer) => inTexts(answer, 'foreign', unchangedIn)));

  it('an endpoint has the outcome that its checks had, and one only in all that is said of it', () =>
    expectNone((answer) => {
      const { document, made, names, hit, texts } = answer;
      if (!made.isChecked) return [];
      const all = document.observations as {
        kind: string;
        subject: string;
        outcome: string;
        missed_since?: string;
      }[];
      const own = all.filter(({ kind }) => kind === 'endpoint.answers');
      const remotes = document.remotes as {
        url: string;
        inputs?: { required?: boolean; secret?: boolean; unmarked?: boolean }[];
      }[];
      // What HTTP 403 refuses may answer with the secret that the record requires.
      const needsSecret = (endpoint: string) =>
        remotes
          .find(({ url }) => url === endpoint)
          ?.inputs?.some(({ required, secret, unmarked }) => required && (secret || unmarked));
      const expectedOf = (subject: string) => {
        const fate = names.fateOf(subject, made);
        return fate === 'challenge' && needsSecret(subject) ? 'asks' : outcomeOf[fate];
      };
      const wrong = own.filter(({ subject, outcome }) => outcome !== expectedOf(subject));
      const mixed = own.flatMap(({ subject, outcome }) =>
        // A history, and a change on the page, tells what was before.
        inTexts(answer, 'foreign', (text, door) =>
          door.includes('history')
            ? []
            : statementsOf(text)
                .filter((one) => !/ until \d{4}-\d\d-\d\d, (?:then|since) /.test(one))
                .filter((one) => one.includes(subject) && outcomesIn(one).some((other) => other !== outcome)),
        ),
      );
      const main = own.find(({ subject }) => subject === document.endpoint)?.outcome ?? '';
      const begins = {
        silent: 'no usable answer ',
        absent: 'nothing there ',
        seen: 'answered ',
        asks: 'refused without the recorded secret ',
      }[main];
      const otherwise = 'returned something other than MCP |redirected Dossier to another host, ';
      const inHit = hit.some((fact) => new RegExp(`^(?:${begins ?? otherwise})`).test(fact));
      const isAlive = own.some(({ outcome, missed_since }) => outcome === 'seen' && !missed_since);
      const none = own.some(({ outcome }) => outcome === 'asks') ? 'unknown' : 'not_met';
      // What is unknown has its reason in parentheses, and one reason may be that of several criteria.
      const judged = new RegExp(`endpoint_observed_alive(?:, [\\w:]+)*: ${isAlive ? 'met' : none}(?:;| \\()`);
      const isJudged = judged.test(texts.criteria);
      return [...wrong, ...mixed, ...(inHit ? [] : [hit]), ...(isJudged ? [] : [texts.criteria])];
    }));

  it('what others wrote stands in quotes or code spans', () => {
    const isForeign = new RegExp(foreignWord, 'i');
    return expectNone((answer) =>
      inTexts(answer, 'own', (text) =>
        ownWordsOf(text)
          .split('\n')
          .filter((line) => isForeign.test(line)),
      ),
    );
  });

  it('no heading or fold is empty, no sentence of an answer is said twice, and none denies another', () =>
    expectNone((answer) => [
      ...emptyIn(answer.pages.page, answer.texts.Markdown),
      ...repeatedIn(sentencesOf(answer.texts.JSON)),
      ...inTexts(answer, 'foreign', contradictionsIn),
      ...inTexts(answer, 'foreign', (text) => text.match(/\bNpm has/g) ?? []),
    ]));

  it('nothing is shown as none that the source records of no listing', () =>
    expectNone((answer) => {
      if (!answer.isBare) return [];
      const none =
        /\bno (?:source )?(?:repository|package)(?: is|:)? recorded|(?:repository|packages?): none|no package of kind|nothing_shared: met|has_repository: not_met/gi;
      return inTexts(answer, 'own', (text) => ownWordsOf(text).match(none) ?? []);
    }));

  it('others that share something are others, and are similar in what stands out', () =>
    expectNone(({ texts, similar, made, isBare, at, names }) => {
      const [stands = ''] = texts.Markdown.match(/^Stands out: .*$/m) ?? [];
      const named = [
        ...stands.matchAll(
          /`([\w./]+)` \((?:domain|GitHub account) [^\s,)]+(?:, deprecated in its registry)?\) (?:records|has|listed|asked) (?:`[^`]+`|[^.`])*\.(?: `\1` has the same [^.]*\.)?/g,
        ),
      ];
      const shared = named.map(([text]) => text).join(' ');
      const nouns = {
        endpoint: 'recorded endpoint',
        package: 'recorded package',
        repository: 'recorded repository',
        description: 'the description',
        tools: 'the tools',
        'address for payments': 'the address for payments',
      };
      const isSaid = (noun: string) =>
        shared.includes(noun) ||
        (noun === 'address for payments' && shared.includes('paid at the same address'));
      return Object.entries(nouns).flatMap(([noun, words]) => {
        // Of a gone listing, those of its own publisher are named too, as such.
        const holders = similar
          .filter(({ facts: [why = ''] }) => why.includes(words) && !why.startsWith('of the same publisher'))
          .map(({ handle }) => handle);
        const isTwin = made.twins.some((one) => one === noun) && !(isBare && /package|repository/.test(noun));
        // Of the first listing one listing of the other publisher records the same; tools and payees follow
        // from the fates.
        const isKnown = at === 0 && !/tools|payments/.test(noun);
        const isWrong = isKnown && holders.length !== (isTwin ? 1 : 0);
        const isDenied = isSaid(noun) !== holders.length > 0;
        const areNone = named.some(([text, first = '']) => text.includes(noun) && !holders.includes(first));
        const areOurs = holders.some((holder) => names.handles.indexOf(holder) < 2 === at < 2);
        return isWrong || isDenied || areNone || areOurs ? [{ noun, holders, shared }] : [];
      });
    }));

  it('a first publication and a number of versions are said only where the source sends older versions', () =>
    expectNone((answer) => {
      const { made, at, texts, pages } = answer;
      const dated =
        /first published:? (?:on )?\d|listed since|(?<![-\d])\d+ versions?\b|versions published: \d/gi;
      if (!made.hasHistory) return inTexts(answer, 'own', (text) => ownWordsOf(text).match(dated) ?? []);
      const isSaid = texts.text.includes('first published 2025-01-05; 2 versions');
      const isOnPage = textOfPage(pages['page of versions'], 'own').includes('2 versions');
      return at > 0 || (isSaid && isOnPage) ? [] : [texts.text];
    }));

  it('another spelling, path or version than the record has is said in the first line', () =>
    expectNone(async ({ names, at, isBare, ask }) => {
      const [endpoint] = names.endpoints[at] ?? [];
      const [, name] = names.packages[at] ?? [];
      const expected: readonly (readonly [asked: string, says: string])[] = [
        [
          `${endpoint}`,
          'Found as the only listing that records this endpoint; recording does not show control.',
        ],
        [`${endpoint?.replace('https://', 'http://www.')}/`, `; the record names \`${endpoint}\`.`],
        [`${endpoint?.replace('https://', 'https://www.')}/`, `records this endpoint as \`${endpoint}\``],
        [`${endpoint}/other`, 'No listing shown here records this address'],
        ...(isBare
          ? [[`npm:${name}`, 'This copy records no packages.'] as const]
          : ([
              [
                `npm:${name}@1.0.0`,
                'Found as the only listing that records this npm package; recording does not show control.',
              ],
              [
                `npm:${name}@9.9.9`,
                'You asked about `9.9.9`; the record names `1.0.0`, and the other facts are',
              ],
              [`npm:${name}-other`, 'No listing shown here records this npm package.'],
            ] as const)),
      ];
      const said = await Promise.all(
        expected.map(async ([asked, says]) => [asked, says, await ask(asked)] as const),
      );
      return said.filter(([, says, first]) => !first.includes(says));
    }));
});
