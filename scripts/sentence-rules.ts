/**
 * Rules that every answer about a listing keeps, for tests and for `npm run lab check:sentences`. They read
 * what is published, and nothing else.
 */

/** What stands in quotes or code spans: the words of others. */
const marked = /“[^”]*”|`[^`]*`/g;

/** A text without what others wrote in it. */
export const ownWordsOf = (text: string): string =>
  text.replaceAll(/\\(?=[\W_])/g, '').replaceAll(marked, '…');

/** What others wrote in a text, without the marks. */
export const foreignIn = (text: string): string[] =>
  [...text.matchAll(marked)].map(([span]) => span.slice(1, -1));

const elements = ['code', 'pre', 'script', 'style', 'blockquote', 'time', 'textarea'];
const foreignElement = new RegExp(
  [
    ...elements.map((name) => `<${name}\\b[^>]*>.*?</${name}>`),
    '<(\\w+)[^>]* class="[^"]*\\bforeign\\b[^"]*"[^>]*>.*?</\\1>',
    '<a\\b[^>]* rel="nofollow ugc[^"]*"[^>]*>.*?</a>',
    '<a class="tag"[^>]*>.*?</a>',
  ].join('|'),
  'gs',
);
const entities: Readonly<Record<string, string>> = {
  '&#39;': "'",
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};
const unescaped = (html: string) =>
  html.replaceAll(/&(?:#39|quot|lt|gt|amp);/g, (entity) => entities[entity] ?? '');

/** The body of a page as text; without `foreign` only what is not marked as the words of others. */
export function textOfPage(page: string, keeps: 'foreign' | 'own'): string {
  const body = page.slice(page.indexOf('<main'), page.indexOf('</main>'));
  const kept = keeps === 'own' ? body.replaceAll(foreignElement, ' … ') : body;
  const blocks = kept.replaceAll(/<\/?(?:p|li|dt|dd|h[1-6]|tr|td|th|summary|div|ul|section)\b[^>]*>/g, '\n');
  return unescaped(blocks.replaceAll(/<[^>]+>/g, ''));
}

const emptyElement =
  /<(details|section|ul|ol|dl|table|dd|li)\b[^>]*>\s*(?:<(summary|h[1-6])\b[^>]*>[^<]*<\/\2>\s*)?(?:<ul[^>]*>\s*<\/ul>\s*)?<\/\1>/g;

/** Headings and folds with nothing in them, of a page and of Markdown. */
export function emptyIn(page: string, markdown: string): string[] {
  const blocks = markdown.split(/\n+/).filter((line) => line !== '');
  const depthOf = (line = '#') => /^#+(?= )/.exec(line)?.[0].length ?? Number.POSITIVE_INFINITY;
  const headings = blocks.filter((line, at) => depthOf(line) < 7 && depthOf(blocks[at + 1]) <= depthOf(line));
  return [...(page.match(emptyElement) ?? []), ...headings];
}

const held = /⟦(\d+)⟧/g;
const split = (text: string, ends: RegExp): string[] => {
  const spans: string[] = [];
  return text
    .replaceAll(marked, (span) => `⟦${spans.push(span) - 1}⟧`)
    .split(ends)
    .map((one) => one.replaceAll(held, (_, at) => spans[Number(at)] ?? '').trim())
    .filter((one) => one !== '');
};

/** The sentences of a text; a stop inside of quotes and code spans ends none. */
export const sentencesOf = (text: string): string[] => split(text, /(?<=[.!?])\s+(?=[A-Z⟦])|\n+/);

/**
 * The statements of a text: its sentences, and the parts of those that stand behind semicolons, or between
 * bars.
 */
export const statementsOf = (text: string): string[] =>
  split(text, /(?<=[.!?])\s+(?=[A-Z⟦])|\n+|;\s+|\s\|\s/);

/** Sentences that stand twice among some; whose word they are and as of when makes no difference. */
export function repeatedIn(sentences: readonly string[]): string[] {
  const said = sentences.map((one) =>
    one
      .replaceAll(/ \((?:record|Dossier)(?:, [\d-]+)?\)/g, '')
      .replace(/\.$/, '')
      .toLowerCase(),
  );
  return said.filter((one, at) => one.length > 3 && said.indexOf(one) < at);
}

/** What a change cannot have been: from one value to the same. */
export const unchangedIn = (text: string): string[] =>
  text.match(
    /\bfrom (\S.{0,200}?) to \1(?=[ .,;)]|$)|: (\S.{0,300}?) until \d{4}-\d\d-\d\d, then \2(?= \(|$)/gm,
  ) ?? [];

/** Words that only one outcome of an endpoint uses. */
export const wordsOfOutcome = {
  silent: /\bno answer\b/i,
  absent: /\bnothing (?:was )?(?:at|there)\b/i,
  otherwise: /\binstead of MCP\b|\bsomething other than MCP\b/i,
  refused: /\brobots\.txt refuses|\bthe check was refused\b/i,
} as const;

/** The outcomes whose words stand in a text. */
export const outcomesIn = (text: string): string[] =>
  Object.entries(wordsOfOutcome).flatMap(([outcome, words]) =>
    words.test(ownWordsOf(text)) ? [outcome] : [],
  );

/** Statements that cannot both be so of one listing. */
const opposites: readonly (readonly [RegExp, RegExp])[] = [
  [
    /\bno repository (?:is )?recorded\b|repository: not stated/i,
    /\bthe recorded repository\b|^repository /im,
  ],
  [
    /\bno endpoint (?:or package )?(?:is )?recorded\b/i,
    /\bits endpoint is\b|\bof its \d+ endpoints\b|\ball its endpoints\b/i,
  ],
  [/\bno endpoint or package is recorded\b/i, /\brun on your machine from\b/i],
  [
    /\bno credentials recorded\b(?! at )|^Not stated:.*\bcredentials\b/im,
    /\bneeds an? (?:secret )?(?:header|variable|environment|argument)|\basks for \d+ secrets?\b/i,
  ],
  [
    /\bits endpoint is on it(?:s domain)?\b/i,
    /\bits endpoint is (?:not on it(?:s domain)?|on another domain)\b/i,
  ],
  [/\bfirst published:? (?:on )?\d{4}/i, /\bhas no older version\b|\bno older version of any listing\b/i],
  [/\bnot claimed\b/i, /\bclaimed on \d{4}/i],
  [/\bno ratings here\b/i, /\brated by \d/i],
  [/\bnever checked\b|\bnot checked\b.*\bendpoint\b/i, /\b(?:the endpoint|it) answered on\b/i],
];

/** Pairs of statements in an answer of which one denies the other. */
export const contradictionsIn = (text: string): string[] => {
  const said = ownWordsOf(text);
  return opposites.flatMap(([one, other]) => {
    const first = one.exec(said)?.[0];
    const second = other.exec(said)?.[0];
    return first && second ? [`“${first}” beside “${second}”`] : [];
  });
};
