import { html } from 'hono/html';
import type { ClaimResponse } from '../../claims/claim-response.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { Problem } from '../../problem.ts';
import { pagePath } from '../layout/html.ts';

/** What the page of a claim is about; `answer` once the form was sent, `checked` the challenge it was sent with. */
export interface ClaimStep {
  readonly handle: string;
  readonly repository?: string;
  /** How the listing stands before anything is asked. */
  readonly state?: ListingDocument['state'];
  readonly claim?: ListingDocument['claim'];
  readonly checked?: string;
  readonly answer?: ClaimResponse;
  /** Why the last step could not be taken. */
  readonly problem?: Problem;
}

/** Values that a form sends without showing them. */
export const hiddenFields = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

/** The next step of a claim: a form of one button. */
export const stepForm = (
  handle: string,
  button: string,
  fields: Readonly<Record<string, string>> = {},
) => html`
<form method="post" action="${pagePath(handle)}/claim">${hiddenFields(fields)}<button>${button}</button></form>`;

/** A step that is not the next one: the same form with a quieter button. */
export const otherStepForm = (
  handle: string,
  button: string,
  fields: Readonly<Record<string, string>>,
) => html`
<form method="post" action="${pagePath(handle)}/claim">${hiddenFields(fields)}<button class="quiet">${button}</button></form>`;
