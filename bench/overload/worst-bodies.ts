/** What an address takes. */
export interface BodyRoom {
  readonly bytes: number;
  readonly values: number;
  readonly depth: number;
}

/** A body and the way in which its work is more than its bytes say. */
export interface NamedBody {
  readonly what: string;
  readonly text: string;
  /** How many values of JSON it has, about. */
  readonly values: number;
}

/** As many parts as a text may have, so that it fits. */
function filled(
  start: string,
  part: (at: number) => string,
  end: string,
  { bytes, values }: BodyRoom,
  each = 1,
) {
  const parts: string[] = [];
  let left = bytes - start.length - end.length - 10;
  for (let at = 0; (at + 1) * each < values - 50; at += 1) {
    const text = part(at);
    left -= Buffer.byteLength(text) + 1;
    if (left < 0) break;
    parts.push(text);
  }
  return { text: start + parts.join() + end, values: parts.length * each };
}

/** One text as long as fits. */
const longText = (unit: string, { bytes }: BodyRoom, around: number) => {
  const quoted = JSON.stringify(unit).slice(1, -1);
  return `"${quoted.repeat(Math.max(1, Math.floor((bytes - around - 20) / Buffer.byteLength(quoted))))}"`;
};

/**
 * Bodies of no tool in particular: those with more values than are read, and those that have just as many as
 * are.
 */
export function worstBodies(room: BodyRoom): NamedBody[] {
  const unbounded = { ...room, values: Number.POSITIVE_INFINITY };
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const bodies = (of: BodyRoom, which: string): NamedBody[] => [
    {
      what: `${which} nested arrays`,
      ...filled('{"x":[', () => deep(room.depth - 3), ']}', of, room.depth - 3),
    },
    { what: `${which} numbers`, ...filled('{"x":[', () => '0', ']}', of) },
    { what: `${which} members`, ...filled('{', (at) => `"m${at}":0`, '}', of) },
    { what: `${which} equal members`, ...filled('{', () => '"m":0', '}', of) },
    { what: `${which} objects`, ...filled('{"x":[', () => '{"a":{}}', ']}', of, 2) },
    { what: `${which} short texts`, ...filled('{"x":[', () => '""', ']}', of) },
  ];
  return [
    ...bodies(unbounded, 'too many'),
    ...bodies(room, 'as many as are read:'),
    { what: 'arrays as deep as fit', text: deep(Math.floor(room.bytes / 2) - 2), values: 1 },
    { what: 'one text of escapes', text: `{"x":${longText('\ud800\u0000', room, 6)}}`, values: 1 },
    { what: 'one number of many digits', text: `{"x":${'9'.repeat(room.bytes - 20)}}`, values: 1 },
  ];
}

/** The example of a tool in which one member is the worst that fits, of each form. */
export function worstInputs(example: object, fields: readonly string[], room: BodyRoom): NamedBody[] {
  const around = JSON.stringify(example).length + 60;
  const inner = { ...room, bytes: room.bytes - around };
  const forms: readonly (readonly [what: string, toForm: () => { text: string; values: number }])[] = [
    ['words', () => ({ text: longText('data agent file web code ', room, around), values: 1 })],
    ['hidden characters', () => ({ text: longText('\u200b\u202e', room, around), values: 1 })],
    ['quotes and backslashes', () => ({ text: longText('"\\', room, around), values: 1 })],
    ['accents', () => ({ text: longText('a\u0301\u0327', room, around), values: 1 })],
    ['short texts', () => filled('[', (at) => `"${at}"`, ']', inner)],
    ['handles', () => filled('[', (at) => `"com.example.absent${at}/x"`, ']', inner)],
    ['references', () => filled('[', (at) => `"npm:absent-${at}"`, ']', inner)],
    ['objects', () => filled('[', (at) => `{"name":"${at}","criterion":"claimed"}`, ']', inner, 3)],
    [
      'five hundred objects',
      () =>
        filled(
          '[',
          (at) => `{"name":"${at}","d":[${'0,'.repeat(15)}0]}`,
          ']',
          { ...inner, values: Math.min(inner.values, 18 * 500) },
          18,
        ),
    ],
    [
      'five hundred equal names',
      () =>
        filled(
          '[',
          (at) => `{"name":"a","description":"${String(at).repeat(60)}"}`,
          ']',
          { ...inner, values: Math.min(inner.values, 3 * 500) },
          3,
        ),
    ],
    ['members', () => filled('{', (at) => `"${at}":"${'0'.repeat(64)}"`, '}', inner)],
    [
      'five hundred members',
      () =>
        filled('{', (at) => `"${at}":"${'0'.repeat(64)}"`, '}', {
          ...inner,
          values: Math.min(inner.values, 550),
        }),
    ],
    [
      'nested objects',
      () => ({ text: `${'{"a":'.repeat(room.depth - 4)}0${'}'.repeat(room.depth - 4)}`, values: room.depth }),
    ],
  ];
  return fields.flatMap((field) =>
    forms.map(([what, toForm]) => {
      const { text, values } = toForm();
      const others = Object.entries(example).filter(([name]) => name !== field);
      const members = others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
      return { what: `${field}: ${what}`, text: `{${[...members, `"${field}":${text}`].join()}}`, values };
    }),
  );
}
