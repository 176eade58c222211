import { html } from 'hono/html';
import type { ShownChange } from '../../evidence/kinds/tools/history-texts.ts';
import type { ToolChange } from '../../evidence/kinds/tools/surface-changes.ts';
import { nameHidden } from '../../evidence/text/sanitize.ts';
import type { TextPart } from '../../evidence/text/word-difference.ts';

type Texts = NonNullable<ShownChange['texts']>;

const part = ({ text, change }: TextPart) =>
  change === 'removed'
    ? html`<del>${text}</del>`
    : change === 'added'
      ? html`<ins>${text}</ins>`
      : html`${text}`;

const differing = ({ member, difference }: Texts[number]) =>
  html`<p><span class="note foreign">${nameHidden(member)}</span>: <span class="foreign difference">${difference.map(part)}</span></p>`;

/** What of a tool is other than before, but for its texts, which follow. */
const changedMembers = ({ members = [], annotations = [] }: ToolChange) =>
  [...members, ...annotations].map(nameHidden).join(', ');

const toolItem = (change: ToolChange, texts: Texts) => html`
<li><b class="foreign">${nameHidden(change.tool)}</b> ${change.change}${
  change.change === 'changed' ? html`: <span class="foreign">${changedMembers(change)}</span>` : ''
}${texts.map(differing)}</li>`;

/** Which tools of a set were added, removed or changed, and how their texts differ. Nothing for another kind of change. */
export const toolChanges = ({ kind, items = [], texts = [] }: ShownChange) =>
  kind === 'tools.surface' && items.length > 0
    ? html`<ul>${(items as readonly ToolChange[]).map((item) =>
        toolItem(
          item,
          texts.filter(({ tool }) => tool === item.tool),
        ),
      )}</ul>`
    : '';
