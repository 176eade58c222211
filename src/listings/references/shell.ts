const redirection = /^\d*&?[<>]/;
const operator = /^[;&|()`\n]/;
/** An apostrophe within a word begins no text, and what is to be filled in is no redirection. */
const part =
  /<[A-Za-z][\w .-]*>|\d*&?[<>]+&?\s*[^\s;&|()]*|(?:(?<!\w)'[^'\n]*'|"(?:\\.|[^"\\])*"|\\.|<[A-Za-z][\w .-]*>|(?<=\w)'|[^\s'"\\;&|<>()`])+|[;&|()`\n]+|./gs;

const withoutQuotes = (word: string): string =>
  word.replace(
    /(?<!\w)'([^'\n]*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
    (_, single?: string, double?: string, escaped?: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? '',
  );

const mostWords = 200;

/** The words of each command for a shell, also of those that a shell is given as a text. */
export function commandsIn(text: string): string[][] {
  const commands: string[][] = [[]];
  for (const [found] of text.replace(/\\\r?\n/g, ' ').matchAll(part)) {
    if (operator.test(found)) commands.push([]);
    else if (found.trim() !== '' && (/^<[^>]+>$/.test(found) || !redirection.test(found)))
      commands.at(-1)?.push(withoutQuotes(found));
  }
  return commands.flatMap((words) => {
    const isForShell = (_: string, at: number) =>
      /(?:^|\/)(?:ba|da|k|z)?sh$/.test(words[at - 2] ?? '') && /^-\w*c$/.test(words[at - 1] ?? '');
    const inner = words.filter(isForShell).flatMap(commandsIn);
    return inner.length > 0 ? inner : [words.slice(0, mostWords)];
  });
}
