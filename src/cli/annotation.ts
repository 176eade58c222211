/** For GitHub Actions, beside a file. */
export function annotation(level: 'error' | 'warning', file: string, title: string, text: string): string {
  const escaped = (one: string, characters: RegExp) => one.replace(characters, encodeURIComponent);
  const [place, head] = [file, title].map((one) => escaped(one, /[%\r\n:,]/g));
  return `::${level} file=${place},title=${head}::${escaped(text, /[%\r\n]/g)}`;
}
