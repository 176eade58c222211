/** An event of an event stream; `event` is its type, empty if none was sent. */
interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Events that are read of one stream. */
const mostEvents = 1000;

/**
 * Reads an event stream (HTML Living Standard, section 9.2) piece by piece, wherever its pieces end, up to its thousandth event. It
 * passes over each character a fixed number of times, and keeps no more than it was fed since the last event.
 */
export function createEventReader(onEvent: (event: StreamEvent) => void): (piece: string) => void {
  let events = 0;
  let event = '';
  let data: string[] = [];
  /** Pieces of a line that has not ended. */
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
    // The end of a line that came with the piece before.
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
