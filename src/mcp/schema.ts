import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';

/**
 * A JSON Schema made once, in the form the SDK takes (it would convert per instance and list). It checks nothing:
 * inputs are checked by callTool, outputs by the tests.
 */
export const frozenSchema = (
  json: Record<string, unknown>,
): StandardSchemaWithJSON<Record<string, unknown>, Record<string, unknown>> => ({
  '~standard': {
    version: 1,
    vendor: 'dossier',
    validate: (value) => ({ value: value as Record<string, unknown> }),
    jsonSchema: { input: () => json, output: () => json },
  },
});

/**
 * The schema of what a tool answers, or of the problem it answers instead: clients of the maintenance line hold
 * results with isError against it, too.
 */
export const orError = ({
  required,
  properties,
  ...rest
}: Record<string, unknown>): Record<string, unknown> => ({
  ...rest,
  properties: { ...(properties as object), error: { type: 'object' } },
  anyOf: [{ required: required ?? [] }, { required: ['error'] }],
});
