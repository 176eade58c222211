/** The weightiest first. */
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

export type ChangeCounts = Readonly<Partial<Record<ChangeClass, number>>>;

export function sumOfClasses(all: readonly ChangeCounts[]): ChangeCounts | undefined {
  const sums = changeClasses.flatMap((name) => {
    const sum = all.reduce((total, counts) => total + (counts[name] ?? 0), 0);
    return sum > 0 ? [[name, sum]] : [];
  });
  return sums.length > 0 ? Object.fromEntries(sums) : undefined;
}
