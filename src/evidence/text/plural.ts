const thousands = new Intl.NumberFormat('en');

/** A count as people read it, thousands separated: `1,250`. */
export const amount = (count: number): string => (count < 1000 ? String(count) : thousands.format(count));

/** A count with its noun: `1 listing`, `1,250 listings`. */
export const counted = (count: number, noun: string): string =>
  `${amount(count)} ${noun}${count === 1 ? '' : 's'}`;
