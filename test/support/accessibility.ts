import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Rules whose outcome follows from theme and size; the others follow from the document alone. */
const ofTheLook = {
  runOnly: ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block'],
};

/**
 * The rules of axe that a document as it stands breaks, each with where; folds are opened first. `look` runs
 * only the rules that another theme or size can break.
 */
export async function violationsIn(shown: Page | Frame, look?: 'look'): Promise<string[]> {
  await shown.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
  if (!(await shown.evaluate("'axe' in globalThis"))) await shown.evaluate(axe);
  const options = JSON.stringify({ resultTypes: ['violations'], ...(look && ofTheLook) });
  return shown.evaluate(
    `axe.run(${options}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))`,
  );
}
