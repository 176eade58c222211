import type { z } from 'zod';
import { countEdits } from '../../core/difference/edits.ts';
import { ownMember } from '../../core/json.ts';
import { Problem } from '../../core/problem.ts';
import { cleanText } from '../../core/text.ts';

const types: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

function bound(word: 'least' | 'most', limit: number | bigint, origin: string): string {
  const unit = ownMember(units, origin);
  return unit ? `must have at ${word} ${limit} ${unit[limit === 1 ? 0 : 1]}` : `must be at ${word} ${limit}`;
}

/** Follows the name of a field; undefined keeps zod's own message. */
export function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (/^invalid_(?:type|value)$/.test(issue.code ?? '') && issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') return `must be ${ownMember(types, issue.expected) ?? issue.expected}`;
  if (issue.code === 'too_big') return bound('most', issue.maximum, issue.origin);
  if (issue.code === 'too_small') return bound('least', issue.minimum, issue.origin);
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
  if (issue.code === 'invalid_format') return `must match ${issue.pattern ?? issue.format}`;
  if (issue.code === 'unrecognized_keys') return 'is not a field of this tool';
  return issue.code === 'invalid_union' ? 'has none of the allowed forms' : undefined;
}

const mostFields = 10;
const mostUnknown = 5;
/** Characters of field names in a refusal: callers may choose them, and each is shown twice. */
const mostOwnText = 100;
const longestField = 40;

/** On one line, without invisible characters. */
function cut(name: string): string {
  const text = cleanText(name.slice(0, 2 * longestField)).text.replaceAll(/\s+/g, ' ');
  return text.length > longestField ? `${text.slice(0, longestField - 1)}…` : text;
}

const fieldsOf = (issue: z.core.$ZodIssue): string[] =>
  issue.code === 'unrecognized_keys' ? issue.keys.slice(0, mostUnknown) : [issue.path.join('.') || '(input)'];

function toMeant(field: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const [nearest] = known.filter((own) => countEdits(field.toLowerCase(), own) <= Math.floor(own.length / 3));
  return nearest ? `; use ${nearest}` : `, which has ${known.join(', ')}`;
}

export function invalidInput(error: z.ZodError, known: readonly string[] = []): Problem {
  const all = error.issues.flatMap((issue) =>
    fieldsOf(issue).map((field) => ({
      field: cut(field),
      message: `${issue.message}${issue.code === 'unrecognized_keys' ? toMeant(field, known) : ''}`,
    })),
  );
  let ownText = 0;
  const fields = all.slice(0, mostFields).filter(({ field }) => {
    ownText += field.length;
    return ownText <= mostOwnText;
  });
  const detail = `${fields.map(({ field, message }) => `${field} ${message}`).join('; ')}.`;
  return new Problem('invalid_input', { fields, detail });
}
