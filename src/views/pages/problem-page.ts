import { html } from 'hono/html';
import type { Problem } from '../../problem.ts';
import { problemTable } from '../../problem-table.ts';
import { type Html, handleLink, tagLink } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';
import { plainSearchForm } from '../search/search-form.ts';
import { contactLink } from './operator-block.ts';

/** Near handles, which have a slash, or near tags. */
const near = (names: readonly string[]) => html`
<h2>Did you mean</h2>
<ul class="plain">${names.map((name) => html`<li>${name.includes('/') ? handleLink(name) : tagLink(name)}</li>`)}</ul>`;

const fields = (wrong: readonly { field: string; message: string }[]) => html`
<ul>${wrong.map(({ field, message }) => html`<li><code>${field}</code>: ${message}</li>`)}</ul>`;

/** Its text, with the address to appeal to as a link. */
function detail({ config: { operatorContact, publicUrl } }: Site, { facts }: Problem) {
  const address = operatorContact || `${publicUrl}/feedback`;
  const [before = '', ...after] = (facts.detail ?? '').split(address);
  return after.length > 0 ? html`${before}${contactLink(address)}${after.join(address)}` : before;
}

/** Problems of somebody who looks for something that is not there. */
const isMissing = ({ code }: Problem) => ['not_found', 'unknown_handle', 'invalid_handle'].includes(code);

/**
 * The page of a problem: what happened, what to do next, and handles or tags near an unknown one. Where something was not found,
 * a search field with the words that were looked for.
 */
export function toProblemPage(site: Site, problem: Problem, wanted = ''): Html {
  const { title, next } = problemTable[problem.code];
  const { facts } = problem;
  return toPage(site, {
    title,
    indexed: false,
    body: html`
<section class="problem">
<p class="eyebrow">${problem.status} <code>${problem.code}</code></p>
<h1>${title}</h1>
<p>${detail(site, problem)} ${isMissing(problem) ? html`Check the spelling, or search for it.` : next}</p>
${facts.fields?.length ? fields(facts.fields) : ''}
${facts.near?.length ? near(facts.near) : ''}
${isMissing(problem) ? plainSearchForm(wanted) : ''}
<p><a href="/agents">All listings</a>, or <a href="/">home</a>.</p>
</section>`,
  });
}
