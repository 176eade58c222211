import { html } from 'hono/html';
import type { Problem } from '../../problem.ts';
import { problemTable } from '../../problem-table.ts';
import { type Html, handleLink } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';

const near = (handles: readonly string[]) => html`
<h2>Did you mean</h2>
<ul class="plain">${handles.map((handle) => html`<li>${handleLink(handle)}</li>`)}</ul>`;

const fields = (wrong: readonly { field: string; message: string }[]) => html`
<ul>${wrong.map(({ field, message }) => html`<li><code>${field}</code>: ${message}</li>`)}</ul>`;

/** The page of a problem: what happened, what to do next, and handles near an unknown one. */
export function toProblemPage(site: Site, problem: Problem): Html {
  const { title, next } = problemTable[problem.code];
  const { facts } = problem;
  return toPage(site, {
    title,
    indexed: false,
    body: html`
<section class="problem">
<p class="eyebrow">${problem.status} <code>${problem.code}</code></p>
<h1>${title}</h1>
<p>${facts.detail} ${next}</p>
${facts.fields?.length ? fields(facts.fields) : ''}
${facts.near?.length ? near(facts.near) : ''}
<p><a href="/agents">Search all listings</a> or go <a href="/">home</a>.</p>
</section>`,
  });
}
