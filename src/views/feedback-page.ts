import { html } from 'hono/html';
import type { Problem } from '../problem.ts';
import { feedbackCategories } from '../tools/submit-feedback.ts';
import type { Html } from './html.ts';
import { toPage } from './layout.ts';
import type { Site } from './site.ts';

/** A feedback form as it was filled in, and what is wrong with it. */
export interface FeedbackForm {
  readonly values: Readonly<Record<string, string>>;
  readonly problem?: Problem;
  /** Id of feedback that was just received. */
  readonly received?: string;
}

/** What is wrong with a field; problems that name no field but are about the handle stand there. */
function messageOf(name: string, problem: Problem | undefined): string | undefined {
  const named = problem?.facts.fields?.find(({ field }) => field === name)?.message;
  const ofHandle = name === 'handle' && problem?.code.match(/handle|withdrawn/) ? problem.message : undefined;
  return named ?? ofHandle;
}

const errorId = (name: string) => `${name}-error`;
const describedBy = (name: string, message: string | undefined) =>
  message === undefined ? '' : html` aria-invalid="true" aria-describedby="${errorId(name)}"`;
const inlineError = (name: string, message: string | undefined) =>
  message === undefined ? '' : html`<span class="error" id="${errorId(name)}">${message}</span>`;

function textField(form: FeedbackForm, name: string, label: string) {
  const message = messageOf(name, form.problem);
  return html`<p><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${form.values[name]}"${describedBy(name, message)}>${inlineError(name, message)}</p>`;
}

function messageField(form: FeedbackForm) {
  const message = messageOf('message', form.problem);
  return html`<p><label for="message">Message</label><textarea id="message" name="message" rows="6" required maxlength="4000"${describedBy('message', message)}>${form.values.message}</textarea>${inlineError('message', message)}</p>`;
}

const option = (category: string, chosen: string | undefined) =>
  html`<option value="${category}"${category === chosen ? html` selected` : ''}>${category}</option>`;

const fields = (form: FeedbackForm) => html`
${messageField(form)}
<p><label for="category">About</label><select id="category" name="category"><option value="">not said</option>${feedbackCategories.map((category) => option(category, form.values.category))}</select></p>
${textField(form, 'handle', 'Handle of the listing, if it is about one')}
${textField(form, 'looking_for', 'What were you looking for?')}
<p><label for="found_it">Did you find it?</label><select id="found_it" name="found_it"><option value="">not said</option><option value="true"${form.values.found_it === 'true' ? html` selected` : ''}>yes</option><option value="false"${form.values.found_it === 'false' ? html` selected` : ''}>no</option></select></p>
${textField(form, 'contact', 'Contact, only if you want an answer')}`;

const summary = ({ problem, received }: FeedbackForm) =>
  problem
    ? html`<div class="notice" role="alert"><strong>Nothing was sent.</strong> ${problem.message}</div>`
    : received
      ? html`<div class="notice" role="status"><strong>Received.</strong> Feedback is private and changes no listing. Its id: <code>${received}</code></div>`
      : '';

/** The feedback form, with messages at the fields after a wrong one. */
export const toFeedbackPage = (site: Site, form: FeedbackForm): Html =>
  toPage(site, {
    title: 'Feedback',
    path: '/feedback',
    indexed: Object.keys(form.values).length === 0 && !form.received,
    body: html`
<h1>Feedback</h1>
<p class="lead">Private, anonymous, read by the operator only. It is not a rating and has no effect on any listing.</p>
${summary(form)}
<form class="stacked" method="post" action="/feedback">${fields(form)}<p><button>Send feedback</button></p></form>`,
  });
