/**
 * How a tool, or another member of a list, changed, in the order in which it is said: what weighs most first.
 */
export const changeClasses = [
  'secret',
  'hints',
  'words',
  'files',
  'removed',
  'required',
  'arguments',
  'result',
  'added',
] as const;
export type ChangeClass = (typeof changeClasses)[number];

/** How many tools changed, by the class of what weighs most. */
export type ChangeCounts = Readonly<Partial<Record<ChangeClass, number>>>;

/** The classes of several sets of tools together; undefined if no tool changed. */
export function sumOfClasses(all: readonly ChangeCounts[]): ChangeCounts | undefined {
  const sums = changeClasses.flatMap((name) => {
    const sum = all.reduce((total, counts) => total + (counts[name] ?? 0), 0);
    return sum > 0 ? [[name, sum]] : [];
  });
  return sums.length > 0 ? Object.fromEntries(sums) : undefined;
}
