import { getListing } from '../tools/get-agent.ts';
import { searchAgents } from '../tools/search-agents.ts';
import { isListed } from '../tools/support/find-listing.ts';
import { callTool } from '../tools/tool.ts';
import { completeTag } from './completions.ts';
import type { Resource } from './resource.ts';

/** The first page of search_agents for one tag. A listing with the handle tags/{tag} takes precedence. */
export const tag: Resource = {
  name: 'tag',
  uri: 'agent://tags/{tag}',
  title: 'Listings with a tag',
  description:
    'The first 20 listings that have a tag, by the oldest publication that was read, earliest first; the same as search_agents answers for tags. Go on with search_agents and next_cursor. A place in the list is not a recommendation. Where a listing has the handle tags/{tag}, that listing is answered.',
  mimeType: 'application/json',
  fresh_s: 60,
  complete: { tag: completeTag },
  async read({ tag: name }, context) {
    const handle = `tags/${name}`;
    const answer = (await isListed(handle, context))
      ? getListing(handle, context)
      : callTool(searchAgents, { tags: [name] }, context);
    return JSON.stringify(await answer);
  },
};
