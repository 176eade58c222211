import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { readConfig } from '../src/config/config.ts';
import { toOpenApi } from '../src/views/text/openapi.ts';

/** Where the generated types are. */
export const clientTypes = 'src/client/types.ts';

interface OpenApi {
  readonly paths: Record<
    string,
    { post?: { requestBody: { content: Record<string, { schema: JSONSchema }> } } }
  >;
  readonly components: { readonly schemas: Record<string, JSONSchema> };
}

const prefix = '/api/tools/';
const toName = (tool: string, of: string) =>
  `${tool.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}${of}`;
const object = (title: string, properties: Record<string, JSONSchema>): JSONSchema => ({
  title,
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** The types of the client, from the OpenAPI document: input and answer of each tool, listing document and problem. */
export async function renderClientTypes(): Promise<string> {
  const { paths, components } = toOpenApi(readConfig({}, '0.0.0')) as unknown as OpenApi;
  const tools = Object.entries(paths).flatMap(([path, { post }]): [string, JSONSchema][] => {
    const tool = path.startsWith(prefix) && path.slice(prefix.length);
    if (!tool || !post) return [];
    const input = { ...post.requestBody.content['application/json']?.schema, title: toName(tool, 'Input') };
    const answer = { ...components.schemas[tool], title: toName(tool, 'Answer') };
    return [[tool, object(toName(tool, 'Call'), { input, answer })]];
  });
  const { ListingDocument, Problem } = components.schemas;
  const all = object('JsonApi', {
    tools: object('Tools', Object.fromEntries(tools)),
    listing: { ...ListingDocument, title: 'ListingDocument' },
    problem: { ...Problem, title: 'Problem' },
  });
  return compile(all, 'JsonApi', {
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    bannerComment: '// Generated from /openapi.json by `npm run docs`; do not edit.',
    style: { singleQuote: true, printWidth: 110 },
  });
}
