import { html } from 'hono/html';
import { toInputSchema } from '../tools/json-schema.ts';
import type { Tool } from '../tools/tool.ts';
import { connectDossier } from './connect-block.ts';
import { type Html, paste } from './html.ts';
import { toPage } from './layout.ts';
import type { Site } from './site.ts';

interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly description?: string;
}

const typeOf = ({ type, enum: choices }: Property) => choices?.map(String).join(' | ') ?? type ?? 'any';

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

function inputRows({ input }: Tool) {
  const { properties = {}, required = [] } = toInputSchema(input) as ObjectSchema;
  return Object.entries(properties).map(([name, shown]) => {
    return html`<tr><th scope="row"><code>${name}</code></th><td>${required.includes(name) ? 'yes' : 'no'}</td><td>${typeOf(shown)}</td><td>${shown.description}</td></tr>`;
  });
}

const effectsOf = ({ effects }: Tool) =>
  effects.readOnlyHint
    ? 'Reads only.'
    : `Writes${effects.destructiveHint ? ', may end what was there' : ''}${effects.idempotentHint ? '; the same call again changes nothing' : ''}.`;

function toolSection(tool: Tool, publicUrl: string) {
  const rows = inputRows(tool);
  const example = JSON.stringify(tool.example);
  return html`
<section class="tool" aria-labelledby="${tool.name}">
<h2 id="${tool.name}"><code>${tool.name}</code> ${tool.title}</h2>
<p>${tool.description}</p>
<p class="note">${effectsOf(tool)}</p>
${rows.length === 0 ? html`<p>No input.</p>` : html`<div class="scroll" tabindex="0" role="region" aria-label="Input of ${tool.name}"><table><thead><tr><th scope="col">Input</th><th scope="col">Required</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`}
${paste(`curl -s ${publicUrl}/api/tools/${tool.name} -H 'Content-Type: application/json' -d '${example}'`)}
</section>`;
}

/** The reference of all tools, made of their definitions. */
export const toToolsPage = (site: Site, tools: readonly Tool[]): Html =>
  toPage(site, {
    title: 'Tools',
    path: '/tools',
    body: html`
<h1>Tools</h1>
<p class="lead">The same operations over MCP at <code>${site.config.PUBLIC_URL}/api/mcp</code> and as plain JSON.</p>
${connectDossier(site.config.PUBLIC_URL)}
<ul class="plain">${tools.map(({ name, title }) => html`<li><a href="#${name}"><code>${name}</code></a> ${title}</li>`)}</ul>
${tools.map((tool) => toolSection(tool, site.config.PUBLIC_URL))}
<p>Schemas in full: <a href="/openapi.json">openapi.json</a>. For agents: <a href="/llms.txt">llms.txt</a>.</p>`,
  });
