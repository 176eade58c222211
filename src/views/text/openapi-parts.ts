/** Content of the type application/json. */
export const json = (schema: object, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

/** The answer to everything that is wrong. */
export const problem = {
  description: 'A problem: `code` identifies it, `detail` tells what to do next.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/** The answers of an operation: what it says, or a problem. */
export const answer = (schema: object) => ({
  '200': { description: 'The answer.', content: json(schema) },
  default: problem,
});

/** The answers of an operation that answers with text of a type. */
export const text = (type: string) => ({
  '200': { description: 'The text.', content: { [type]: { schema: { type: 'string' } } } },
  default: problem,
});
