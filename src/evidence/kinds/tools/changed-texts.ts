import { type TextPart, wordDifference } from '../../text/word-difference.ts';

type Tool = Readonly<Record<string, unknown>>;

/** A text of a tool that differs between two lists of tools, for models to read: `member` is its place in the tool. */
export interface ChangedText {
  readonly tool: string;
  /** As `description`, or `inputSchema.properties.to.description`. */
  readonly member: string;
  readonly difference: readonly TextPart[];
}

const textMembers = ['title', 'description'];
const mostTexts = 200;
const mostDepth = 12;
const longestName = 200;

/** The titles and descriptions of a tool at any depth, by place. */
function* textsOf(value: unknown, place: readonly string[] = []): Generator<[string, string]> {
  if (place.length > mostDepth || typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const at = [...place, name];
    if (typeof member !== 'string') yield* textsOf(member, at);
    else if (textMembers.includes(name)) yield [at.join('.').slice(0, longestName), member];
  }
}

function readTexts(tool: Tool): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [member, text] of textsOf(tool)) {
    if (texts.size >= mostTexts) break;
    texts.set(member, text);
  }
  return texts;
}

const nameOf = ({ name }: Tool) => (typeof name === 'string' ? name.slice(0, longestName) : '');

function* changesOf(tool: string, before: Tool, after: Tool): Generator<ChangedText> {
  const [old, now] = [readTexts(before), readTexts(after)];
  for (const member of new Set([...old.keys(), ...now.keys()])) {
    const [was = '', is = ''] = [old.get(member), now.get(member)];
    if (was !== is) yield { tool, member, difference: wordDifference(was, is) };
  }
}

/** Texts that differ in tools that both lists have, by tool, at most `most`. */
export function changedTexts(before: readonly Tool[], after: readonly Tool[], most: number): ChangedText[] {
  const old = new Map(before.map((tool) => [nameOf(tool), tool]));
  const found: ChangedText[] = [];
  for (const tool of after) {
    const known = old.get(nameOf(tool));
    for (const change of known ? changesOf(nameOf(tool), known, tool) : []) {
      if (found.length >= most) return found;
      found.push(change);
    }
  }
  return found;
}
