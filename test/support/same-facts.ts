import { expect } from 'vitest';

/** Every text and number in a value, at any depth; names of members are not among them. */
function leavesOf(value: unknown): (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

/** That a Markdown text says everything that stands in the structured content beside it. */
export function expectSameFacts(text: string, structured: object): void {
  const plain = text.replaceAll(/[\\`]/g, '');
  const said = (leaf: string | number) => {
    const unmarked = String(leaf).replaceAll(/[\\`]/g, '');
    const inWords = /^[a-z_]+$/.test(unmarked) ? unmarked.replaceAll('_', ' ') : unmarked;
    // A quote inside a quoted text is a single one.
    return [unmarked, unmarked.replaceAll('"', "'"), inWords].some((one) => plain.includes(one));
  };
  // What the text says of the state is in words, and it names no fields.
  const { state: _, untrusted_fields: __, ...shown } = structured as Record<string, unknown>;
  expect(leavesOf('lines' in shown ? shown : structured).filter((leaf) => !said(leaf))).toEqual([]);
}
