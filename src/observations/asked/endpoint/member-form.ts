import { asMembers, isJsonObject, type JsonObject, ownMember } from '../../../core/json.ts';

const pick = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => {
      const one = ownMember(value, name);
      return one === undefined ? [] : [[name, one]];
    }),
  );

const promptArgument = ['name', 'title', 'description', 'required'];

export const promptWithoutForm = ({ arguments: named, ...prompt }: JsonObject): JsonObject => ({
  ...pick(prompt, ['name', 'title', 'description']),
  ...(Array.isArray(named) && {
    arguments: named.map((one) => (isJsonObject(one) ? pick(one, promptArgument) : one)),
  }),
});

const resourceMembers = ['uri', 'uriTemplate', 'name', 'title', 'description', 'mimeType'];

/** Size and date are about the content of the resource. */
export function resourceWithoutForm(resource: JsonObject): JsonObject {
  const annotations = pick(asMembers(resource.annotations), ['audience', 'priority']);
  const isAnnotated = Object.keys(annotations).length > 0;
  return { ...pick(resource, resourceMembers), ...(isAnnotated && { annotations }) };
}

const uriOf = (value: unknown) => String(asMembers(value).uri ?? '');

/** A value in place of the files, such as `dynamic`, is kept. */
export const skillWithoutForm = ({ resources, ...skill }: JsonObject): JsonObject => ({
  ...pick(skill, ['uri', 'frontmatter']),
  ...(Array.isArray(resources)
    ? {
        resources: resources
          .map((one) => (isJsonObject(one) ? pick(one, ['uri', 'digest', 'size']) : one))
          .toSorted((a, b) => (uriOf(a) < uriOf(b) ? -1 : 1)),
      }
    : pick({ resources }, ['resources'])),
});

/** In reverse, so that an object made of them keeps the first of a name. */
const argumentsOf = ({ arguments: named }: JsonObject): [string, JsonObject][] =>
  (Array.isArray(named) ? named : [])
    .filter(isJsonObject)
    .toReversed()
    .flatMap((one) => (typeof one.name === 'string' ? [[one.name, one]] : []));

export const promptByName = (prompt: JsonObject): JsonObject => ({
  ...pick(prompt, ['name', 'title', 'description']),
  arguments: Object.fromEntries(
    argumentsOf(prompt).map(([name, one]) => [name, pick(one, ['title', 'description'])]),
  ),
});

export const promptAsTool = (prompt: JsonObject): JsonObject => ({
  ...pick(prompt, ['name', 'title', 'description']),
  inputSchema: {
    properties: promptByName(prompt).arguments,
    required: argumentsOf(prompt)
      .filter(([, { required }]) => required === true)
      .map(([name]) => name)
      .toSorted(),
  },
});

export const resourceAsTool = (resource: JsonObject): JsonObject => ({
  ...pick(resource, ['uri', 'uriTemplate', 'name', 'title', 'description']),
  outputSchema: pick(resource, ['mimeType', 'annotations']),
});

export const skillAsTool = ({ frontmatter, resources }: JsonObject): JsonObject => ({
  ...asMembers(frontmatter),
  files: resources,
});
