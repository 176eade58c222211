import { searchAgents } from '../tools/search-agents.ts';
import { callTool } from '../tools/tool.ts';
import { completeTag } from './completions.ts';
import type { Resource } from './resource.ts';

/** The first listings that have a tag, as search_agents answers. */
export const tag: Resource = {
  name: 'tag',
  uri: 'agent://tags/{tag}',
  title: 'Listings with a tag',
  description:
    'The first 20 listings that have a tag, by first publication; the same as search_agents answers for tags. Go on with search_agents and next_cursor. A place in the list is not a recommendation.',
  mimeType: 'application/json',
  fresh_s: 60,
  complete: { tag: completeTag },
  async read({ tag: name }, context) {
    return JSON.stringify(await callTool(searchAgents, { tags: [name] }, context));
  },
};
