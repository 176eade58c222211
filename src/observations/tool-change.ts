/** How a tool changed, in the order in which it is said: what weighs most first. */
export const changeClasses = [
  'secret',
  'hints',
  'words',
  'removed',
  'required',
  'arguments',
  'result',
  'added',
] as const;
export type ChangeClass = (typeof changeClasses)[number];

/** How many tools changed, by the class of what weighs most. */
export type ChangeCounts = Readonly<Partial<Record<ChangeClass, number>>>;
