import { z } from 'zod';
import { code, lines } from '../core/text.ts';
import { closingText } from './texts.ts';
import { defineTool, readsOnly } from './tool.ts';

const maxTags = 500;

/** The most frequent tags, with the number of listings that have each. */
export const listTags = defineTool({
  name: 'list_tags',
  title: 'List tags',
  description:
    'Lists the tags listings can be browsed by, with counts. Use it before search_agents with tags. Do not use it to find a service by words. Tags are derived from recorded facts and publisher keywords; they are not endorsements.',
  effects: readsOnly,
  input: z.strictObject({}),
  output: z.object({
    tags: z.array(z.object({ tag: z.string(), listings: z.int() })),
    untrusted_fields: z.array(z.string()),
  }),
  example: {},
  cacheTags: () => 'all',
  toText: (answer) =>
    lines(
      `Tags, each with how many listings have it: ${answer.tags.map(({ tag, listings }) => `${code(tag)} ${listings}`).join(', ') || 'none'}`,
      closingText(answer),
    ),
  async run(_input, { store }) {
    const counts = await store.listings.facetCounts('tag');
    return {
      tags: counts
        .slice(0, maxTags)
        .map(({ facet, listings }) => ({ tag: facet.slice('tag:'.length), listings })),
      untrusted_fields: ['tags'],
    };
  },
});
