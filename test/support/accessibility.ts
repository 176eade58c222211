import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of axe that a document as it stands breaks; folds are opened first. */
export async function violationsIn(shown: Page | Frame): Promise<string[]> {
  await shown.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
  await shown.evaluate(axe);
  return shown.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
}
