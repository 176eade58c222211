import { type Facet, findNegations } from '../../search/query.ts';

export const fixedFilters = {
  active: { value: true, facet: 'is:active' },
  needs_secret: { value: false, facet: 'is:without_secret' },
  has_endpoint: { value: true, facet: 'has:endpoint' },
  has_native_ratings: { value: true, facet: 'has:ratings' },
  answered: { value: true, facet: 'seen:answered' },
  no_payment_seen: { value: true, facet: 'seen:no_payment_seen' },
} as const satisfies Record<string, { value: boolean; facet: Facet }>;
export const fixedFilterNames = Object.keys(fixedFilters) as (keyof typeof fixedFilters)[];
export const textFilterNames = ['transport', 'package', 'state', 'publisher', 'sort', 'cursor'] as const;

/** As `search_agents` takes it: `needs_secret:false`, `tags:sms`. */
export function inputOf(facet: string): string {
  const fixed = fixedFilterNames.find((name) => fixedFilters[name].facet === facet);
  if (fixed) return `${fixed}:${fixedFilters[fixed].value}`;
  return facet.replace(/^tag:/, 'tags:').replace(/^owner:/, 'publisher:');
}

const secrets = 'keys?|secrets?|credentials?|passwords?|tokens?|logins?';

interface MeantFilter {
  readonly facet: Facet;
  readonly words: RegExp;
  readonly text: string;
  /** Denied, as in `no remote`, its words mean this one. */
  readonly otherwise?: Facet;
}

/** Words of a search that texts of listings seldom say, or say of something else, and a filter knows. */
const meantFilters: readonly MeantFilter[] = [
  {
    facet: 'is:without_secret',
    words: new RegExp(
      `\\b(?:(?:need|requir|want|work|ask)\\w*\\s+)?(?:without|no|zero|free of)\\s+(?:(?:an?|any|the)\\s+)?(?:api[\\s-]*)?(?:${secrets})\\b|(?:\\bnot?|n't)\\s+(?:need|require|want)\\w*\\s+(?:(?:an?|any)\\s+)?(?:api[\\s-]*)?(?:${secrets})\\b|\\bkey(?:less|[\\s-]free)\\b`,
      'i',
    ),
    text: 'the record names no secret',
  },
  {
    facet: 'has:endpoint',
    words: /(?<!self[\s-]?)\bhosted\b|\bremote\b(?!\s+(?:jobs?|work|control|desktop|sens|team))/i,
    text: 'a remote endpoint is recorded',
    otherwise: 'transport:stdio',
  },
  {
    facet: 'transport:stdio',
    words:
      /\bstdio\b|\bself[\s-]?host\w*|\blocally\b|\blocal[\s-]+(?:mcp|only|servers?|install)\w*|\bon[\s-]prem\w*|\bon my (?:own )?(?:machine|computer|laptop|pc)\b|\boffline\b/i,
    text: 'a recorded package runs where you start it',
    otherwise: 'has:endpoint',
  },
  ...(['sse', 'streamable-http'] as const).map((transport) => ({
    facet: `transport:${transport}` as const,
    words: new RegExp(`\\b${transport.replace('-', '[\\s_-]?')}\\b`, 'i'),
    text: 'a recorded endpoint or package speaks this',
  })),
  ...Object.entries({ npm: 'node(?:\\.?js)?|npm', pypi: 'python|pypi', oci: 'docker' }).map(
    ([type, names]) => ({
      facet: `package:${type}` as const,
      words: new RegExp(`\\b(?:${names})[\\s-]+only\\b|\\bonly\\s+(?:${names})\\b`, 'i'),
      text: `a package of this type is recorded`,
    }),
  ),
];

const isOfficial = /\b(?:official(?:ly)?|offiziell\w*|oficial\w*|officiel\w*)\b|公式|官方/i;

/** English, Dutch, French, German, Italian, Portuguese and Spanish; Chinese and Japanese. */
const denying = String.raw`(?:\b(?:cannot|no|not|never|neither|nor|non|without|avoid(?:ing)?|except|excluding|instead of|other than|rather than|aucune?|geen|jamais|kein\w*|não|nicht|nie|niet|nunca|ohne|pas|sans|sem|senza|sin|zonder)(?!\w)|n't\b|[不無无非]是?)[\s-]*(?:(?:an?|any|are|be|being|de|for|is|need|the|to|une?|us(?:e|ing)|want|\w+ly|\w+ n?or) +){0,4}|(?<=^|\s)-"?`;
const known = [isOfficial, ...meantFilters.map(({ words }) => words)].map(({ source }) => source).join('|');
const refused = String.raw` +(?:\w+ +)?(?:is |are )?(?:forbidden|prohibited|(?:never|not) (?:allowed|ok|permitted|wanted))\b`;
/** Filters that are not meant: `no remote`, `neither hosted nor remote`, `remote is not allowed`, `非官方`. */
const denied = new RegExp(
  `(?:${denying})(?:${known})(?: +n?or +(?:${known}))*|(?:${known})(?=${refused})`,
  'gi',
);
const withoutDenied = (text: string) => text.replace(denied, ' , ');

/** What no text of a listing tells, and no filter alone, with what does. */
const unsearched: readonly (readonly [words: RegExp, toText: (found: RegExpExecArray) => string])[] = [
  [
    /\bhow many\b(?: (?:exist|(?:are|is) there)\b)?/i,
    () => 'Only what matches is counted here: agent://status has the number of all listings.',
  ],
  [
    /(?<=^(?:is|are|does|do|was|who|whose|where|when|since when|how (?:much|old|long)) (?!there).*)\b(?:alive|behind|costs?|down|hosted|licen[cs]ed|located|maintained|owned|owner|owns|runs|safe|secure|still|work(?:ing|s)?)\b|^(?:licen[cs]e|owner|price|publisher|region|status|tools|transport|uptime|version) of\b/i,
    () => 'A question about one listing is answered by get_agent with its handle, or by get_history.',
  ],
  [
    /\b(?:newest|most recent(?:ly)?|(?:(?:new|made|added|created|published|released|updated) )?(?:this|in the last|last) (?:year|month|week)|(?:created|launched|made|new|published|released|updated) (?:in|since|after|before) (?:\w+ )?20\d\d)\b/i,
    () => 'No date is searched: sort by published or updated.',
  ],
  [
    /^(?:what|which|whose|who)\b.*\bchanged\b|\b(?:endpoint|owner|payee|price|publisher|record|tool)s? (?:(?:has|have|was|were) )?changed\b|\bchanged? (?:between|in the last|last|on|since|this|today|yesterday)\b/i,
    () =>
      'No change is searched: get_history has those of one listing. Of all listings, a Dossier on the web has the newest at /feed.json, and all, the oldest first, at /changes?since=0.',
  ],
  [
    /\b(?:(?:best|highest|top|most|well)[ -](?:rated|popular|used|trusted|reliable|downloaded|starred|secure)|best|safest|securest|safe to|trusted|trustworthy|reliable|popular|verified)\b/i,
    () =>
      'Popularity, quality and safety are not searched and change no place; get_agent says what is known.',
  ],
  [
    new RegExp(
      `\\b(?:without|no(?! (?:code|sql|need|more|one|matter|cost|ads?)\\b)|alternatives? (?:to|for)) (?:(?:an?|any|the|my) )?(?!(?:api[ -]?)?(?:${secrets})\\b)(?<word>\\w[\\w-]{0,40})`,
      'i',
    ),
    ({ 0: said, groups: { word } = {} }) =>
      `“${said}” leaves out nothing: -${word} leaves out listings with this word${/^alt/i.test(said) ? ', and similar_to finds what is like a listing' : ''}.`,
  ],
];

const price =
  /(?:(?:under|below|less than|at most|up to|for|no more than) )?(?:\$ ?(?<dollars>\d+(?:\.\d+)?)|(?<![\w.])(?<number>\d+(?:\.\d+)?) ?(?:(?<cents>cents?)|usdc?|dollars?)\b)(?: ?(?:per|an?|each|\/) ?(?:call|request|query|use|search|message)\b)?/i;

/** In USDC. */
export function readPriceLimit(text: string): string | undefined {
  const { dollars, number, cents } = price.exec(text)?.groups ?? {};
  return cents ? `${Number(number) / 100}` : (dollars ?? number);
}

/** What of a text counts for little, because its words tell nothing of it. */
export const meantWords = (text: string): RegExp[] => [
  ...findMeant(text, []).map(({ words }) => words),
  denied,
  ...unsearched.map(([words]) => words),
  price,
];

const longestSaid = 80;

export const unsearchedTexts = (text: string): string[] => [
  ...unsearched.flatMap(([words, toText]) =>
    [words.exec(withoutDenied(text))].flatMap((found) => (found ? toText(found) : [])),
  ),
  ...findNegations(text)
    .filter((one) => one.text.length < longestSaid)
    .map((one) => `Listings with “${one.words}” are left out, because of “${one.text.trim()}”.`),
];

export function findMeant(text: string, facets: readonly Facet[]): MeantFilter[] {
  const against = text.match(denied)?.join(' , ') ?? '';
  const others = meantFilters.filter(({ words }) => words.test(against)).map(({ otherwise }) => otherwise);
  const left = withoutDenied(text);
  return meantFilters.filter(
    ({ facet, words }) => !facets.includes(facet) && (words.test(left) || others.includes(facet)),
  );
}

const writtenOf = (one: MeantFilter) => `${inputOf(one.facet).replace(':', ': ')} (${one.text})`;

/** `passed`: by some listing. Undefined if the search has no such word, or its filter. */
export function meantText(
  text: string,
  facets: readonly Facet[],
  passed: ReadonlySet<string>,
): string | undefined {
  const found = findMeant(text, facets);
  const meant = found.filter(({ facet }) => passed.has(facet)).map(writtenOf);
  const none = found.filter(({ facet }) => !passed.has(facet)).map(writtenOf);
  const isFiltered = facets.some((facet) => /^(?:owner|publisher):/.test(facet));
  const official = isFiltered ? [] : (isOfficial.exec(withoutDenied(text)) ?? []);
  const all = [
    ...meant,
    ...official.map(
      (word) => `publisher: example.com (“${word}”: in the namespace of a domain or an account)`,
    ),
  ];
  const said = [
    all.length > 0 && `Words find no such facts; these filters do: ${all.join(', ')}.`,
    none.length > 0 && `Words find no such facts, and no listing shown here passes ${none.join(' or ')}.`,
  ];
  return said.filter(Boolean).join(' ') || undefined;
}
