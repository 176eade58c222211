import { html } from 'hono/html';
import { connectDossier } from '../connect/connect-block.ts';
import type { Html } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';

/** The page that a browser gets at the MCP endpoint: how to connect to it. */
export const toMcpPage = (site: Site): Html =>
  toPage(site, {
    title: 'Connect over MCP',
    indexed: false,
    body: html`
<h1>Connect over MCP</h1>
<p>This address, <code>${site.config.publicUrl}/api/mcp</code>, is an MCP endpoint (Streamable HTTP, without sessions). It is for MCP clients; no account and no key are needed to read.</p>
${connectDossier(site.config.publicUrl)}
<p>Then ask your agent to weigh a listing before you pay for it. <a href="/tools">All tools</a>, <a href="/llms.txt">instructions for agents</a>.</p>`,
  });
