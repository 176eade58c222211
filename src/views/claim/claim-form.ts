import { html } from 'hono/html';
import type { z } from 'zod';
import type { ProofPlace } from '../../evidence/claim/proof-place.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { Problem } from '../../problem.ts';
import type { claimAgent } from '../../tools/claim-agent.ts';
import { type Html, pagePath } from '../layout/html.ts';

/** An answer of claim_agent. */
export type ClaimAnswer = z.output<typeof claimAgent.output>;

/** The state of the claim page: `answer` once the form was sent, `checked` the challenge it was sent with. */
export interface ClaimStep {
  readonly handle: string;
  /** The places where the listing can be claimed, the easiest first. */
  readonly ways: readonly ProofPlace[];
  /** The listing's state before the form is sent. */
  readonly state?: ListingDocument['state'];
  readonly claim?: ListingDocument['claim'];
  readonly origin_note?: ListingDocument['origin_note'];
  readonly checked?: string;
  readonly answer?: ClaimAnswer;
  /** Why the last step failed. */
  readonly problem?: Problem;
}

/** Hidden fields of a form. */
export const hiddenFields = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

/** The next step of a claim: a form of one button. */
export const stepForm = (
  handle: string,
  button: Html | string,
  fields: Readonly<Record<string, string>> = {},
) => html`
<form method="post" action="${pagePath(handle)}/claim">${hiddenFields(fields)}<button type="submit">${button}</button></form>`;

/** A secondary step: the same form with a less prominent button. */
export const otherStepForm = (
  handle: string,
  button: Html | string,
  fields: Readonly<Record<string, string>>,
) => html`
<form method="post" action="${pagePath(handle)}/claim">${hiddenFields(fields)}<button type="submit" class="quiet">${button}</button></form>`;
