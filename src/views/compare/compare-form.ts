import { html } from 'hono/html';
import { type CriterionName, criteria, criterionNames } from '../../evidence/comparison/criteria.ts';
import type { Criterion } from '../../evidence/comparison/criterion.ts';
import { type Html, handleLink } from '../layout/html.ts';
import { defaultPicks, type Picks, toPath } from './compare-address.ts';

/** Error messages of the fields. */
export type FieldMessages = Readonly<Partial<Record<CriterionName, string>>>;

interface Field {
  readonly name: CriterionName;
  readonly values: readonly string[];
  readonly message: string | undefined;
}

const errorId = (name: string) => `${name}-error`;
const wrong = ({ name, message }: Field) =>
  message === undefined ? '' : html` aria-invalid="true" aria-describedby="${errorId(name)}"`;

/** A field with one value. */
function valueField(field: Field, value: string) {
  const { takes } = criteria[field.name] as Criterion;
  const named = html`name="${field.name}"${wrong(field)}`;
  if (takes.kind === 'number')
    return html`<input type="number" min="1" max="${takes.max}" inputmode="numeric" value="${value}" ${named}>`;
  if (takes.kind === 'tag')
    return html`<input type="text" maxlength="40" spellcheck="false" autocomplete="off" value="${value}" ${named}>`;
  if (takes.kind === 'price')
    return html`<input type="text" maxlength="300" placeholder="0.01 USDC" spellcheck="false" autocomplete="off" value="${value}" ${named}>`;
  const choices = takes.kind === 'choice' ? takes.of : [];
  return html`<select ${named}><option value="">any</option>${choices.map((choice) => html`<option${choice === value ? html` selected` : ''}>${choice}</option>`)}</select>`;
}

/** A criterion as a checkbox, or as its sentence with a field in it; an empty field leaves the criterion out. */
function criterionFields(field: Field): Html {
  const { label, takes } = criteria[field.name] as Criterion;
  const message =
    field.message && html`<span class="error" id="${errorId(field.name)}">${field.message}</span>`;
  if (takes.kind === 'nothing') {
    const isPicked = field.values.length > 0;
    return html`<li><label><input type="checkbox" name="${field.name}" value="true"${isPicked ? html` checked` : ''}> ${label}</label>${message}</li>`;
  }
  const [before, after] = label.replace('(s)', 's').split('{}');
  return html`${(field.values.length > 0 ? field.values : ['']).map(
    (value) => html`<li><label>${before}${valueField(field, value)}${after}</label>${message}</li>`,
  )}`;
}

function criteriaList(kind: Criterion['evidence'], title: string, [picks, messages]: [Picks, FieldMessages]) {
  const fields = criterionNames
    .filter((name) => criteria[name].evidence === kind)
    .map((name) => ({
      name,
      values: picks.criteria
        .filter(({ criterion }) => criterion === name)
        .map(({ value }) => value ?? 'true'),
      message: messages[name],
    }));
  return html`<fieldset><legend>${title}</legend><ul class="plain">${fields.map(criterionFields)}</ul></fieldset>`;
}

const picked = (picks: Picks, descriptions: ReadonlyMap<string, string>) => html`
<ol class="picked">${picks.handles.map((handle) => {
  const without = { ...picks, handles: picks.handles.filter((other) => other !== handle) };
  return html`<li>${handleLink(handle)} <a class="remove" href="${toPath(without)}" aria-label="Remove ${handle}">remove</a>${descriptions.get(handle) && html`<p class="foreign note">${descriptions.get(handle)}</p>`}<input type="hidden" name="handle" value="${handle}"></li>`;
})}</ol>`;

/** The picked listings and the criteria to choose, as one GET form that leads to the comparison. */
export function compareForm(
  picks: Picks,
  messages: FieldMessages,
  descriptions: ReadonlyMap<string, string>,
): Html {
  const withCriteria = { ...picks, criteria: picks.criteria.length > 0 ? picks.criteria : defaultPicks };
  const shown: [Picks, FieldMessages] = [withCriteria, messages];
  return html`
<form class="compare" action="/compare" method="get">
${picks.handles.length > 0 ? picked(picks, descriptions) : ''}
<p><label for="add">${picks.handles.length > 0 ? 'Add a listing' : 'First listing'}: its handle, or words to find it by</label>
<span class="field"><input id="add" name="add" type="search" value="${picks.add}" maxlength="200" autocomplete="off" spellcheck="false"><button type="submit">Add</button></span></p>
<details${Object.keys(messages).length > 0 ? html` open` : ''}><summary>Criteria: ${withCriteria.criteria.length} picked</summary>
<div class="columns">
${criteriaList('imported', 'Recorded and imported', shown)}
${criteriaList('observed', 'Checked by Dossier', shown)}
${criteriaList('native', 'Claims and ratings made on this service', shown)}
</div>
<p><button type="submit">Compare</button></p>
</details>
</form>`;
}
