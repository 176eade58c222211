import { html } from 'hono/html';
import { toInputSchema } from '../../tools/support/json-schema.ts';
import type { Tool } from '../../tools/tool.ts';
import { connectDossier } from '../connect/connect-block.ts';
import { type Html, paste, toCurl } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';

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

const input = ([name, shown]: [string, Property], required: readonly string[]) => html`
<div><dt><code>${name}</code></dt><dd>${shown.description} <span class="note">${typeOf(shown)}${required.includes(name) ? ', required' : ''}</span></dd></div>`;

function inputs(tool: Tool) {
  const { properties = {}, required = [] } = toInputSchema(tool.input) as ObjectSchema;
  const listed = Object.entries(properties);
  return listed.length === 0
    ? html`<p>No input.</p>`
    : html`<dl class="facts wide">${listed.map((property) => input(property, required))}</dl>`;
}

const effectsOf = ({ effects }: Tool) =>
  effects.readOnlyHint
    ? 'Reads only.'
    : `Writes${effects.destructiveHint ? ' and may remove' : ''}.${effects.idempotentHint ? ' Repeating a call changes nothing.' : ''}`;

const section = (tool: Tool, publicUrl: string) => html`
<section class="tool" aria-labelledby="${tool.name}">
<h2 id="${tool.name}"><code>${tool.name}</code> ${tool.title}</h2>
<p>${tool.description}</p>
<p class="note">${effectsOf(tool)}</p>
${inputs(tool)}
${paste(toCurl(`${publicUrl}/api/tools/${tool.name}`, tool.example))}
</section>`;

/** The reference of all tools, generated from their definitions. */
export const toToolsPage = (site: Site, tools: readonly Tool[]): Html =>
  toPage(site, {
    title: 'Tools',
    description:
      'The operations agents and scripts can use, over MCP and as plain JSON, with their inputs and an example.',
    path: '/tools',
    body: html`
<div class="with-nav">
<header>
<h1>Tools</h1>
<p class="lead">The same operations over MCP at <code>${site.config.publicUrl}/api/mcp</code> and as plain JSON.</p>
${connectDossier(site.config.publicUrl)}
<p>Schemas in full: <a href="/openapi.json">openapi.json</a>. For agents: <a href="/llms.txt">llms.txt</a>.</p>
</header>
<nav class="on-page" aria-label="Tools"><ul>${tools.map(({ name }) => html`<li><a href="#${name}"><code>${name}</code></a></li>`)}</ul></nav>
<div class="parts">${tools.map((tool) => section(tool, site.config.publicUrl))}</div>
</div>`,
  });
