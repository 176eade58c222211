import { html } from 'hono/html';
import type { Html } from './html.ts';

/** One tab: its label and its panel. */
export interface Tab {
  readonly name: string;
  readonly body: Html;
}

const choice = (group: string, { name }: Tab, at: number) => html`
<input type="radio" name="${group}" id="${group}-${at}"${at === 0 ? html` checked` : ''}><label for="${group}-${at}">${name}</label>`;

/** Tabs as radio buttons, which work without script. At most six; `group` must be unique on the page. */
export const tabs = (group: string, legend: string, shown: readonly Tab[]): Html => html`
<fieldset class="tabs"><legend class="unseen">${legend}</legend>${shown.map((tab, at) => choice(group, tab, at))}${shown.map(
  ({ body }) => html`
<div class="panel">${body}</div>`,
)}
</fieldset>`;
