import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createEventReader } from '../../src/observations/asked/endpoint/events.ts';

const eventsOf = (pieces: readonly string[]) => {
  const events: string[] = [];
  const read = createEventReader(({ event, data }) => events.push(`${event}|${data}`));
  for (const piece of pieces) read(piece);
  return events;
};

/** Generates texts from the parts of event streams. */
const stream = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r',
        '\n',
        '\r\n',
        '\n\n',
        'data:',
        'data: {"id":1}',
        'data',
        'event: endpoint',
        ':',
        'id',
        '\ufeff',
        'x',
      ),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

describe('an event stream', () => {
  it.each([
    ['data: a\n\n', ['|a']],
    ['\ufeffdata:a\n\ndata:  b\n\n', ['|a', '| b']],
    ['event: endpoint\ndata: /messages\n\n', ['endpoint|/messages']],
    ['data: a\rdata: b\r\r', ['|a\nb']],
    ['data: a\r\n\r\ndata\r\n\r\n', ['|a', '|']],
    ['data: a\n\rdata: b\n\r', ['|a', '|b']],
    [':\nretry: 1\nid: 7\ndatax: y\nevent: e\n\ndata: a\n\n', ['|a']],
    ['data: a\n', []],
  ])('%j has the events that browsers read in it', (text, events) => {
    expect(eventsOf([text])).toEqual(events);
  });

  it('has the same events wherever its pieces end', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(5), { minLength: 1, maxLength: 9 }), (text, sizes) => {
        const pieces: string[] = [];
        for (let at = 0, turn = 0; at < text.length; turn += 1) {
          const end = at + (sizes[turn % sizes.length] ?? 0) + Number(turn % sizes.length === 0);
          pieces.push(text.slice(at, end));
          at = end;
        }
        expect(eventsOf(pieces)).toEqual(eventsOf([text]));
        expect(eventsOf(text.split(''))).toEqual(eventsOf([text]));
      }),
      { numRuns: 1000 },
    );
  });

  it('is passed over a fixed number of times, whatever ends its lines', () => {
    const search = vi.spyOn(String.prototype, 'indexOf');
    try {
      fc.assert(
        fc.property(
          stream,
          fc.integer({ min: 1, max: 300 }),
          fc.constantFrom('', '\r', '\n'),
          (text, times, end) => {
            search.mockClear();
            const whole = `${text.repeat(times)}${end}`;
            eventsOf([whole]);
            const passed = search.mock.calls.reduce((sum, [, from = 0], call) => {
              const { length } = String(search.mock.contexts[call]);
              const found = Number(search.mock.results[call]?.value);
              return sum + (found < 0 ? length : found + 1) - from;
            }, 0);
            expect(passed).toBeLessThanOrEqual(3 * whole.length + 3);
          },
        ),
        { numRuns: 300 },
      );
    } finally {
      search.mockRestore();
    }
  });

  it('is read up to its thousandth event', () => {
    expect(eventsOf(['data: a\n\n'.repeat(999), 'data: b\n\ndata: c\n\n', 'data: d\n\n'])).toHaveLength(1000);
  });
});
