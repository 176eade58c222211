import { z } from 'zod';

/** The questions of a buyer, in the order that every face shows them, each in plain words. */
export const questionTitles = {
  price: 'What does it cost, and who is paid?',
  reach: 'Does it answer, and how is it reached?',
  tools: 'What can it do, and did that change?',
  access: 'What must I give it?',
  publisher: 'Who stands behind it?',
  code: 'Is the code what is published?',
  upkeep: 'Is it kept up?',
  ratings: 'What did others meet?',
  terms: 'Under which terms, where, and with which data handling?',
} as const;

export type Question = keyof typeof questionTitles;

/** The questions in their order. */
export const questions = Object.keys(questionTitles) as [Question, ...Question[]];

/** A question by its name. */
export const questionName = z.enum(questions);
