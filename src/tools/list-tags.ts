import { z } from 'zod';
import type { Context } from '../context.ts';
import { lines } from '../core/text.ts';
import { closingText, untrustedOf } from '../document/answers/closing.ts';
import { defineTool, readsOnly } from './tool.ts';

const maxTags = 500;

/** Most frequent first. */
export const readTags = async ({ store }: Pick<Context, 'store'>) =>
  (await store.listings.facetCounts('tag')).map(({ facet, listings }) => ({
    tag: facet.slice('tag:'.length),
    listings,
  }));

export const listTags = defineTool({
  name: 'list_tags',
  title: 'List tags',
  description: 'Lists the tags of listings, with counts, for search_agents. Tags are no endorsement.',
  asked:
    'which tags, all tags, by category, categories, topics, kinds or types of MCP servers exist; what kinds of services are there; browse',
  effects: readsOnly,
  input: z.strictObject({}),
  output: z.object({
    tags: z.record(z.string(), z.int()).describe('The number of listings that have each tag'),
    untrusted_fields: z.array(z.string()),
  }),
  example: {},
  cacheTags: () => 'all',
  toText: (answer) =>
    lines(
      `Tags, with the number of listings that have each: ${
        Object.entries(answer.tags)
          .map(([tag, listings]) => `${tag} ${listings}`)
          .join(', ') || 'none'
      }`,
      closingText(answer),
    ),
  async run(_input, context) {
    const counted = (await readTags(context)).slice(0, maxTags);
    const tags = Object.fromEntries(counted.map(({ tag, listings }) => [tag, listings]));
    return { tags, untrusted_fields: untrustedOf({ tags }, ['tags']) };
  },
});
