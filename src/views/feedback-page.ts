import { html } from 'hono/html';
import type { Problem } from '../core/problem.ts';
import { type Feedback, reportCategory } from '../moderation/moderation.ts';
import { feedbackCategories } from '../tools/submit-feedback.ts';
import { type Html, originNote } from './html.ts';
import { type PageSite, toPage } from './layout.ts';

export interface FeedbackForm {
  readonly values: Readonly<Record<string, string>>;
  readonly problem?: Problem;
  readonly origin_note?: string | undefined;
  readonly received?: Feedback | undefined;
}

function messageOf(name: string, { problem, values }: FeedbackForm): string | undefined {
  if (problem && name === 'message' && !values.message?.trim()) return 'Write a message.';
  const named = problem?.facts.fields?.find(({ field }) => field === name)?.message;
  const ofHandle = name === 'handle' && problem?.code.match(/handle|withdrawn/) ? problem.message : undefined;
  return named ?? ofHandle;
}

/** `attributes` connect the control with label, hint and error. */
function field(
  form: FeedbackForm,
  { name, label, hint }: { readonly name: string; readonly label: string; readonly hint?: string },
  control: (attributes: Html) => Html,
) {
  const message = messageOf(name, form);
  const ids = [message === undefined ? '' : `${name}-error`, hint ? `${name}-hint` : ''];
  const described = ids.filter(Boolean).join(' ');
  const attributes = html` id="${name}" name="${name}"${message === undefined ? '' : html` aria-invalid="true"`}${described && html` aria-describedby="${described}"`}`;
  return html`
<div class="row"><label for="${name}">${label}</label>${hint && html`<span class="note" id="${name}-hint">${hint}</span>`}
${control(attributes)}${message === undefined ? '' : html`<span class="error" id="${name}-error">${message}</span>`}</div>`;
}

const textInput = (value: string | undefined) => (attributes: Html) =>
  html`<input type="text"${attributes} value="${value}">`;

const option = (value: string, text: string, chosen: string | undefined) =>
  html`<option value="${value}"${value === chosen ? html` selected` : ''}>${text}</option>`;

const isReport = ({ values }: FeedbackForm) => values.category === reportCategory;

/** Not in a report. */
const search = (form: FeedbackForm) => html`
${field(form, { name: 'looking_for', label: 'What were you looking for?' }, textInput(form.values.looking_for))}
${field(
  form,
  { name: 'found_it', label: 'Did you find it?' },
  (attributes) =>
    html`<select${attributes}><option value="">not specified</option>${option('true', 'yes', form.values.found_it)}${option('false', 'no', form.values.found_it)}</select>`,
)}`;

const fields = (form: FeedbackForm) => html`
${field(
  form,
  { name: 'message', label: isReport(form) ? 'What is wrong?' : 'Message', hint: 'Up to 4,000 characters.' },
  (attributes) =>
    html`<textarea${attributes} rows="6" required maxlength="4000">${form.values.message}</textarea>`,
)}
${field(
  form,
  { name: 'category', label: 'About' },
  (attributes) =>
    html`<select${attributes}><option value="">not specified</option>${feedbackCategories.map((category) => option(category, category, form.values.category))}</select>`,
)}
${field(form, { name: 'handle', label: 'Handle of the listing, if you write about one', hint: 'For example co.example/name.' }, textInput(form.values.handle))}
${field(form, { name: 'rating_id', label: 'Id of the rating, if you write about one', hint: 'The link “Report this rating” beside a rating fills this in.' }, textInput(form.values.rating_id))}
${isReport(form) ? '' : search(form)}
${field(form, { name: 'contact', label: 'Contact, only if you want an answer' }, textInput(form.values.contact))}`;

const summary = ({ problem, received }: FeedbackForm) =>
  problem
    ? html`<div class="notice" role="alert"><strong>Nothing was sent.</strong> ${problem.facts.fields ? 'Correct the fields marked below; the others are unchanged.' : problem.message}</div>`
    : received &&
      html`<div class="notice" role="status"><strong>Received.</strong> Feedback is private and changes no listing. Reference: <code>${received.id}</code>, ${received.state === 'closed' ? 'which the operator has closed' : 'which the operator has not closed yet'}; the address of this page shows whether that changes.</div>`;

export const toFeedbackPage = (site: PageSite, form: FeedbackForm): Html =>
  toPage(site, {
    title: 'Feedback',
    description:
      'Tell the operator something in private. You need no account, and feedback has no effect on any listing.',
    path: '/feedback',
    indexed: Object.keys(form.values).length === 0 && !form.received,
    body: html`
<h1>${isReport(form) ? 'Report a listing or a rating' : 'Feedback'}</h1>
<p class="lead">${isReport(form) ? 'A report is private: you need no account, and only the operator reads it. Say what is wrong, and why the listing or rating should not be public. The operator decides what happens. Each action is published with its reason.' : 'Feedback is private: you need no account, and only the operator reads it. Feedback is not a rating and has no effect on any listing.'}</p>
${originNote(form)}
${summary(form)}
<form class="stacked" method="post" action="/feedback">${fields(form)}<p><button type="submit">${isReport(form) ? 'Send the report' : 'Send feedback'}</button></p></form>`,
  });
