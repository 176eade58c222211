import { html } from 'hono/html';
import type { Html } from '../layout/html.ts';

const field = (query: string, isWrong = false) => html`
<label for="q">Search listings</label>
<span class="field"><input id="q" name="q" type="search" value="${query}" maxlength="2000" placeholder="webhooks, or a handle" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search"${isWrong ? html` aria-invalid="true" aria-describedby="wrong"` : ''}>
<button type="submit">Search</button></span>`;

/** The search field on pages without results: an ordinary form, with words to begin with. */
export const plainSearchForm = (query = ''): Html => html`
<form id="search" class="search" action="/agents" method="get" role="search">${field(query)}</form>`;

/** The search field above results: a plain form that searches as you type if htmx runs. Filters are fields of it. */
export const liveSearchForm = (query: string, isWrong: boolean): Html => html`
<form id="search" class="search" action="/agents" method="get" role="search" hx-get="/agents" hx-trigger="input changed delay:200ms, submit" hx-replace-url="true">${field(query, isWrong)}</form>`;
