import { answerMcp, type HostilePublishers } from './hostile.ts';

const numbers = (seed: number): string => {
  let text = '';
  for (let value = seed + 1; text.length < 19_800; text += `${value % 10} `)
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648;
  return text;
};

const set = (of: number): string =>
  JSON.stringify({
    tools: Array.from({ length: 10 }, (_, at) => ({ name: `t${at}`, description: numbers(of * 100 + at) })),
  });
const sets = [set(1), set(2)];

const repeated = (of: number): string =>
  JSON.stringify({
    tools: Array.from({ length: 500 }, (_, at) => ({ name: 'a', description: `${of} ${at} `.repeat(60) })),
  });

let look = 0;

/** Publishers whose endpoints list other tools at each look: ten long ones, and 500 of one name. */
export const changing: HostilePublishers = {
  alternating: { answer: (asked) => answerMcp(asked, () => sets[++look % 2] ?? '') },
  repeating: { answer: (asked) => answerMcp(asked, () => repeated(++look)) },
};

/** Their listings. */
export const alternating = 'example.alternating/agent-0';
export const repeating = 'example.repeating/agent-0';
