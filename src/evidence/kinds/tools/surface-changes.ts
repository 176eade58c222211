import { isDeepStrictEqual } from 'node:util';
import { asMembers } from '../../text/json-object.ts';

type Tool = Readonly<Record<string, unknown>>;

/** How one tool differs between two lists of tools. */
export interface ToolChange {
  readonly tool: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Members that differ, but for annotations; at most 20. */
  readonly members?: readonly string[];
  /** Annotations that differ, at most 20, as `readOnlyHint: true -> false`: what a client may call without asking depends on them. */
  readonly annotations?: readonly string[];
}

/** Changes beyond this many are counted only. */
const mostChanges = 100;
const longestName = 200;
/** Members of one tool that are named: a publisher decides how many a tool has, and the log keeps what is named. */
const mostMembers = 20;

const shortName = (name: string) => name.slice(0, longestName);
const nameOf = ({ name }: Tool) => (typeof name === 'string' ? name.slice(0, longestName) : '');
const byName = (tools: readonly Tool[]) => new Map(tools.map((tool) => [nameOf(tool), tool]));

const differing = (before: Tool, after: Tool): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((member) => !isDeepStrictEqual(before[member], after[member]))
    .sort();

const toText = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 100));

function toChange(tool: string, before: Tool, after: Tool): ToolChange {
  const [hintsBefore, hintsAfter] = [asMembers(before.annotations), asMembers(after.annotations)];
  const members = differing(before, after)
    .filter((member) => member !== 'annotations')
    .slice(0, mostMembers);
  const annotations = differing(hintsBefore, hintsAfter)
    .slice(0, mostMembers)
    .map((hint) => `${shortName(hint)}: ${toText(hintsBefore[hint])} -> ${toText(hintsAfter[hint])}`);
  return {
    tool,
    change: 'changed',
    ...(members.length > 0 && { members: members.map(shortName) }),
    ...(annotations.length > 0 && { annotations }),
  };
}

/** What changed from one list of tools to the next, by name, at most 100 changes. */
export function surfaceChanges(before: readonly Tool[], after: readonly Tool[]): ToolChange[] {
  const [old, now] = [byName(before), byName(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names
    .flatMap((tool): ToolChange[] => {
      const [was, is] = [old.get(tool), now.get(tool)];
      if (!was) return [{ tool, change: 'added' }];
      if (!is) return [{ tool, change: 'removed' }];
      return isDeepStrictEqual(was, is) ? [] : [toChange(tool, was, is)];
    })
    .slice(0, mostChanges);
}
