/** What a host may have at any place of a document: values of each type, and odd ones. */
const odd: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e300,
  '',
  'x',
  '\u202e\ud800',
  'x'.repeat(3000),
  '9999-99-99T99:99:99Z',
  '+010000-01-01T00:00:00Z',
  [],
  [[]],
  [null],
  {},
  { __proto__: null, constructor: 1, length: -1 },
];

type Json = Readonly<Record<string, unknown>>;

/** A document once for each place in it and each odd value there. */
export function* variantsOf(document: unknown): Generator<unknown> {
  if (typeof document !== 'object' || document === null) return;
  const members = document as Json;
  for (const name of Object.keys(members)) {
    const withOther = (value: unknown) =>
      Array.isArray(document)
        ? document.map((one, at) => (String(at) === name ? value : one))
        : { ...members, [name]: value };
    for (const value of odd) yield withOther(value);
    for (const inner of variantsOf(members[name])) yield withOther(inner);
  }
}
