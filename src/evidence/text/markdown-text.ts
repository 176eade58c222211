const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** What is copied as it is: addresses, packages with a version or a scope, names with an underscore. None has a backtick. */
const copied =
  /https?:\/\/[^\s`“”<>"']*[^\s`“”<>"'.,;:!?)\]]|(?<![\w./-])@?[a-z0-9][\w.-]*(?:\/[\w.-]+)*@\w(?:[\w.+-]*\w)?|@[\w.-]+\/[\w.-]*\w|(?<!\w)[a-z0-9]\w*_\w*(?!\w)/;

const escapeMarks = (text: string): string =>
  text.replace(/[\\`*_{}[\]<>|~&$@]/g, '\\$&').replace(/:(?=\/\/)|(?<=www)\./gi, '\\$&');

/** A value or a sentence within a line of Markdown: what is copied in code spans; the rest, and what “ ” quote, escaped. */
export const toInlineText = (text: string): string =>
  oneLine(text)
    .split(new RegExp(`(“[^”]*”|${copied.source})`, 'i'))
    .map((part, at) => (at % 2 === 0 || part.startsWith('“') ? escapeMarks(part) : `\`${part}\``))
    .join('');

const quotationMarks = /[“”„‟«»＂〝〞〟❝❞❠⹂″‶ˮ״🙶🙷🙸]/gu;

/**
 * A third party's text inside our own: on one line and in “ ”, with the quotes inside it replaced, so that it cannot end
 * them and go on in our voice. Whoever wrote it is named before it.
 */
export const quoted = (text: string): string =>
  `“${oneLine(text).replace(quotationMarks, "'").replaceAll('"', "'")}”`;

/** A third party's name, address or version inside our own text: one word, or several behind commas, cannot speak for us; else quoted. */
export const named = (text: string): string =>
  /^[\w@./:+~%#?&=!*[\]{}<>$-]+(, [\w@./:+~%#?&=!*[\]{}<>$-]+)*$/.test(text) ? text : quoted(text);

/** The same in Markdown, escaped. */
export const toQuote = (text: string): string => escapeMarks(quoted(text));

/** An address or a name as a code span; in quotes if it has spaces or quotation marks, as no such value is copied. */
export const code = (text: string): string =>
  /\s/.test(text.trim()) || text.search(quotationMarks) >= 0
    ? toQuote(text)
    : `\`${oneLine(text).replaceAll('`', "'")}\``;

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
