import { describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { opened } from '../support/opened.ts';
import { shownStates } from '../support/page-states.ts';
import { openShownDirectory } from '../support/shown-directory.ts';

const screen = 844;

const directory = await opened(openShownDirectory());
const browser = await opened(openBrowser());

const listings = shownStates.filter(({ name }) => name.startsWith('listing-'));

describe('the page of a listing on a phone', () => {
  it.each(listings)('$name: the answer begins on the first screen', async ({ path }) => {
    const page = await browser.newPage({ viewport: { width: 390, height: screen } });
    await page.goto(directory.url + path);
    const box = await page.locator('.lines').boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThanOrEqual(screen - 200);
    const last = await page.locator('#publishers').boundingBox();
    expect(last?.y).toBeLessThanOrEqual(5 * screen);
    await page.close();
  });

  it('explains each fact when asked, without script', async () => {
    const page = await browser.newPage({
      viewport: { width: 390, height: screen },
      javaScriptEnabled: false,
    });
    await page.goto(`${directory.url}/agents/co.webhook/webhook`);
    await page.locator('.asked details:has(.means) summary').first().click();
    const sentence = page.locator('.asked details[open] .means').first();
    expect(await sentence.isVisible()).toBe(false);
    await page.getByLabel('Explain each fact').check();
    expect(await sentence.isVisible()).toBe(true);
    expect(await page.locator('.means').allTextContents()).toContain(
      'Whether the registry marks the shown version as active or as deprecated. “Active” does not say that the service works.',
    );
    await page.close();
  });
});

it('the page of a listing on a desktop answers the first questions and shows how to connect on the first screen', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${directory.url}/agents/co.webhook/webhook`);
  for (const text of ['Not checked', 'Whose', 'Rated', 'claude mcp add --transport http webhook']) {
    const box = await page.getByText(text).first().boundingBox();
    expect([text, (box?.y ?? 9999) < 900]).toEqual([text, true]);
  }
  await page.close();
});
