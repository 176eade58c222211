import { html } from 'hono/html';
import type { ModerationNotice } from '../../evidence/moderation/moderation.ts';
import type { Html } from '../layout/html.ts';

/** What the operator did, where its effect is: each statement with its entry of the log, and the way to appeal. */
export const noticesBlock = (notices: readonly ModerationNotice[] = []): Html =>
  html`${notices.map(
    ({ statement, log_index }) =>
      html`<p class="notice">${statement} <a href="/log/entry/${log_index}">Log entry ${log_index}</a>. <a href="/about#operator">Appeal to the operator</a>.</p>`,
  )}`;
