const mostEvents = 1000;

/** HTML Living Standard, section 9.2, in linear time for pieces of any length. */
export function createEventReader(
  onEvent: (event: Record<'event' | 'data', string>) => void,
): (piece: string) => void {
  let events = 0;
  let event = '';
  let data: string[] = [];
  let begun: string[] = [];
  let isFirst = true;
  let isAfterReturn = false;
  const readLine = (line: string) => {
    if (line === '') {
      if (data.length > 0) {
        events += 1;
        onEvent({ event, data: data.join('\n') });
      }
      event = '';
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
  };
  return (piece) => {
    if (piece === '' || events === mostEvents) return;
    const hasMark = isFirst && piece.startsWith('\ufeff');
    // The previous piece ended with the CR of this CRLF.
    const hasRest = isAfterReturn && piece.startsWith('\n');
    isFirst = false;
    isAfterReturn = piece.endsWith('\r');
    const text = piece.slice(Number(hasMark || hasRest)).replace(/\r\n?/g, '\n');
    let at = 0;
    for (let end = text.indexOf('\n'); end >= 0 && events < mostEvents; end = text.indexOf('\n', at)) {
      begun.push(text.slice(at, end));
      readLine(begun.join(''));
      begun = [];
      at = end + 1;
    }
    if (at < text.length) begun.push(text.slice(at));
  };
}
