const escaped = (text: string, characters: RegExp) =>
  text.replace(characters, (one) => encodeURIComponent(one));

/** The form that GitHub Actions shows beside a file, on its runners only. */
export const annotation = (
  level: 'error' | 'warning',
  [file, title]: readonly [file: string, title: string],
  text: string,
): string => {
  const [shownFile, shownTitle] = [file, title].map((one) => escaped(one, /[%\r\n:,]/g));
  return `::${level} file=${shownFile},title=${shownTitle}::${escaped(text, /[%\r\n]/g)}`;
};
