const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** A third party's text within a line of Markdown, escaped: no markup, no links, no HTML. */
export const toInlineText = (text: string): string =>
  oneLine(text)
    .replace(/[\\`*_{}[\]<>|~&$@]/g, '\\$&')
    .replace(/:(?=\/\/)|(?<=www)\./gi, '\\$&');

/** The same where it may begin a line: it begins no list and no heading. */
export const toMarkdownText = (text: string): string =>
  toInlineText(text).replace(/^(\d*)([-+#=.)])/, '$1\\$2');

/**
 * A third party's text inside our own: on one line and in “ ”, with the quotes inside it replaced, so that it cannot end
 * them and go on in our voice. Whoever wrote it is named before it.
 */
export const quoted = (text: string): string => `“${oneLine(text).replace(/[“”„‟«»‹›"＂〝〞〟]/g, "'")}”`;

/** The same in Markdown, escaped. */
export const toQuote = (text: string): string => toInlineText(quoted(text));

/** The same as a code span, for addresses and names. */
export const code = (text: string): string => `\`${oneLine(text).replaceAll('`', "'")}\``;

/** Joins lines, without absent ones. */
export const lines = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => typeof part === 'string').join('\n');

/** Joins paragraphs, without absent ones. */
export const paragraphs = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => typeof part === 'string').join('\n\n');

/** A list, one item a line. */
export const list = <T>(items: readonly T[], show: (item: T) => string): string =>
  items.map((item) => `* ${show(item)}`).join('\n');

/** The day of an RFC 3339 time. */
export const day = (time: string): string => time.slice(0, 10);
