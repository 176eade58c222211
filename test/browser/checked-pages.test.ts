import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { observedStates } from '../support/observed-entries.ts';
import { openObservedStates } from '../support/observed-states.ts';
import { opened } from '../support/opened.ts';
import { readmePicture, readWords, wordsIn } from '../support/readme-picture.ts';

const phone = { width: 390, height: 844 };
const directory = await opened(openObservedStates());
const browser = await opened(openBrowser());

async function on<T>(path: string, look: (page: Page) => Promise<T>): Promise<T> {
  const page = await browser.newPage({ viewport: phone });
  await page.goto(directory.url + path);
  const seen = await look(page);
  await page.close();
  return seen;
}

/** The texts on a page that stand in a red ink or on a red ground. */
const redTexts = (page: Page) =>
  page.evaluate(
    "[...document.querySelectorAll('main *')].filter((element) => { const { color, backgroundColor } = getComputedStyle(element); return [color, backgroundColor].some((one) => { const [red, green, blue] = one.match(/\\d+/g).map(Number); return one !== 'rgba(0, 0, 0, 0)' && red > green + 15 && red > blue + 15; }); }).map((element) => element.textContent)",
  ) as Promise<string[]>;

describe('that a package is reported as malicious code', () => {
  const { malicious, moved, paid } = observedStates;
  const report = 'OSV lists version 1.4.2 of npm:bundled-export as malicious code: MAL-2026-4102';

  it.each([
    ['its listing', `/agents/${malicious}`],
    ['a search', '/agents?q=bundled+export'],
    ['a comparison', `/compare?handle=${malicious}&handle=${moved}&handle=${paid}`],
  ])('is all that is red on the page of %s', async (_, path) => {
    const red = await on(path, redTexts);
    expect(red[0]).toContain(report);
    for (const text of red) expect(red[0]).toContain(text);
  });

  it('is the first notice of its listing, and other notices of other listings are grey', async () => {
    const first = await on(`/agents/${malicious}`, (page) =>
      page.locator('.stands-out').first().textContent(),
    );
    expect(first).toContain(report);
    for (const handle of [moved, paid, observedStates.unreachable])
      expect([handle, await on(`/agents/${handle}`, redTexts)]).toEqual([handle, []]);
  });
});

describe('a listing on a phone', () => {
  it.each(Object.entries(observedStates))(
    '%s: has at most 3,400 pixels, pictures included, with folds closed',
    async (_, handle) => {
      const height = await on(`/agents/${handle}`, (page) =>
        page.evaluate('document.documentElement.scrollHeight'),
      );
      expect(height).toBeLessThanOrEqual(3400);
    },
  );

  it('shows how to claim it and its badge when asked, without script', async () => {
    const page = await browser.newPage({ viewport: phone, javaScriptEnabled: false });
    await page.goto(`${directory.url}/agents/${observedStates.moved}`);
    const link = page.getByRole('link', { name: 'How to claim' });
    expect(await link.isVisible()).toBe(false);
    await page.getByText('Is this yours?').click();
    expect(await link.isVisible()).toBe(true);
    await page.close();
  });
});

it('a package leads to the page of its registry, also as the subject of a fact', async () => {
  const addresses = await on(`/agents/${observedStates.malicious}`, (page) =>
    page
      .locator('main a[href^="https://www.npmjs.com/"]')
      .evaluateAll((links) => links.map((link) => `${link.textContent} ${link.getAttribute('href')}`)),
  );
  expect(addresses).toContain('npm:bundled-export https://www.npmjs.com/package/bundled-export');
  expect(addresses).toContain('bundled-export@1.4.2 https://www.npmjs.com/package/bundled-export/v/1.4.2');
});

it('the picture of the README shows what its page says (npm run lab screenshots -- --only readme takes it anew)', async () => {
  const page = await browser.newPage(readmePicture.look);
  await page.goto(directory.url + readmePicture.path);
  const shown = wordsIn(readFileSync('docs/listing.png'));
  expect(shown).toContain('payee changed from 0x1111');
  expect(await readWords(page)).toBe(shown);
  await page.close();
});
