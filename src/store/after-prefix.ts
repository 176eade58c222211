/** A text that sorts after every text that starts with `prefix`. */
export const afterPrefix = (prefix: string): string => `${prefix}\u{10FFFF}`;
