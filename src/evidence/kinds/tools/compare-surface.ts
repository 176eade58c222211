/** Digests of tools by name, hex. */
export type ToolDigests = Readonly<Record<string, string>>;

/** How one tool differs between what a caller sees and what was seen here. */
export interface ToolDifference {
  readonly name: string;
  readonly difference: 'only_here' | 'only_there' | 'other';
}

/** The tools that differ, by name: `only_here` were seen by this service only, `only_there` by the caller only. */
export function compareSurface(seen: ToolDigests, sent: ToolDigests): ToolDifference[] {
  const names = [...new Set([...Object.keys(seen), ...Object.keys(sent)])].sort();
  return names.flatMap((name): ToolDifference[] => {
    if (!Object.hasOwn(sent, name)) return [{ name, difference: 'only_here' }];
    if (!Object.hasOwn(seen, name)) return [{ name, difference: 'only_there' }];
    return seen[name] === sent[name] ? [] : [{ name, difference: 'other' }];
  });
}
