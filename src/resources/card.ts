import { cardAddress } from '../tools/tool.ts';
import { toCard } from '../views/mcp-app/card.ts';
import type { Resource } from './resource.ts';

/** The card that hosts of MCP Apps show beside answers of the tools that name it. For hosts only, so llms.txt omits it. */
export const card: Resource = {
  name: 'card',
  uri: cardAddress,
  title: 'Card of an answer',
  description:
    'For hosts that show MCP Apps: the card of a listing or a comparison. There is no listing in it.',
  mimeType: 'text/html;profile=mcp-app',
  fresh_s: 3600,
  meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } },
  async read(_variables, { config }) {
    return toCard(config);
  },
};
