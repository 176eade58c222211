import { html } from 'hono/html';
import { type Html, pagePath } from '../html.ts';

/** Between two checks of a location (claims/checks/shared.ts). */
export const pause_s = 30;

export const hiddenFields = (fields: Readonly<Record<string, string>>): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

export const stepForm = (
  handle: string,
  button: Html | string,
  fields: Readonly<Record<string, string>>,
  isSecondary = false,
): Html => html`
<form method="post" action="${pagePath(handle)}/claim">${hiddenFields(fields)}<button type="submit"${isSecondary && html` class="quiet"`}>${button}</button></form>`;

/** Read like a capability in the Authorization header. */
export const capabilityField = (
  id: string,
  { hint, isRequired = false }: { readonly hint: string; readonly isRequired?: boolean },
): Html => html`
<div class="row"><label for="${id}">Secret key of the claim</label><span class="note" id="${id}-hint">${hint}</span>
<input type="password" id="${id}" name="capability" aria-describedby="${id}-hint" autocomplete="current-password" maxlength="200"${isRequired && html` required`}></div>`;

export const noWay =
  'The listing records no repository that can be read here, and its namespace is neither a domain nor a GitHub account, so the listing cannot be claimed. To make that possible, add a repository that this service can read to its server.json in the registry, and wait for the next import.';
