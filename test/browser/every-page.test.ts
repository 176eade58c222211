import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violationsIn } from '../support/accessibility.ts';
import { openBrowser } from '../support/browser.ts';
import type { ClaimedDirectory } from '../support/claimed-directory.ts';
import { partOf } from '../support/long.ts';
import { opened } from '../support/opened.ts';
import { type PageState, pageStates } from '../support/page-states.ts';
import { openShownDirectory } from '../support/shown-directory.ts';
import { faultsOfHtml } from '../support/valid-html.ts';

const most_bytes = 60_000;
const narrowest = { width: 320, height: 640 };
const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 900 };
const full = '/agents/co.webhook/webhook';
const browser = await opened(openBrowser());

const fits = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth');
const styleOf = (page: Page, selector: string, name: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element, property) => {
      const { getComputedStyle } = globalThis as unknown as {
        getComputedStyle(of: unknown): { getPropertyValue(name: string): string };
      };
      return getComputedStyle(element).getPropertyValue(property);
    }, name);

/** The HTML documents that a page opens, as they were sent: from its address, and in answer to its forms. */
function documentsOf(page: Page): Promise<string>[] {
  const documents: Promise<string>[] = [];
  page.on('response', (answer) => {
    const isRedirect = answer.status() >= 300 && answer.status() < 400;
    if (answer.request().resourceType() === 'document' && !isRedirect) documents.push(answer.text());
  });
  return documents;
}

/** Records the sizes of all answers that a page gets from now on, with their headers. */
function sizesOf(page: Page): Promise<number>[] {
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    const size = request.sizes().then((known) => known.responseBodySize + known.responseHeadersSize);
    sizes.push(size);
  });
  return sizes;
}

/** Opens a page on a phone as somebody who was never here; all bytes that came, and how far things moved. */
async function weigh(page: Page, address: string) {
  const sizes = sizesOf(page);
  await page.addInitScript(
    'self.moved = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) self.moved += value; }).observe({ type: "layout-shift", buffered: true });',
  );
  const answer = await page.goto(address, { waitUntil: 'load' });
  const moved = await page.evaluate('new Promise((end) => setTimeout(() => end(self.moved), 150))');
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  return { status: answer?.status(), requests: sizes.length, bytes, moved };
}

/** The states of which no earlier one has all elements and classes, and those that a visitor makes. */
async function noveltiesOf({ app }: ClaimedDirectory, states: readonly PageState[]): Promise<PageState[]> {
  const known = new Set<string>();
  const novel: PageState[] = [];
  for (const state of states) {
    const page = await (await app.request(state.path, { headers: { accept: 'text/html' } })).text();
    const marks = [...page.matchAll(/<([a-z]\w*)(?:[^>]*? class="([^"]*)")?/g)].flatMap(
      ([, element, classes = '']) => classes.split(' ').map((name) => `${element}.${name}`),
    );
    if (state.prepare || marks.some((mark) => !known.has(mark))) novel.push(state);
    for (const mark of marks) known.add(mark);
  }
  return novel;
}

describe.each(pageStates)('every page in every state of $of', async ({ open, states }) => {
  const directory = await opened(open());

  it.each(partOf(await noveltiesOf(directory, states), [...states]))(
    '$name: below 60,000 bytes, nothing moves, valid, no violation in light on a desktop or in dark on a phone',
    async (state) => {
      const page = await browser.newPage({ viewport: phone, colorScheme: 'light' });
      const documents = documentsOf(page);
      const { status, requests, bytes, moved } = await weigh(page, directory.url + state.path);
      if (!state.prepare) expect(status).toBe(state.status ?? 200);
      expect(requests).toBeGreaterThanOrEqual(4);
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThan(most_bytes);
      expect(moved).toBe(0);
      if (process.env.SHOW_WEIGHTS) process.stderr.write(`${String(bytes).padStart(6)} ${state.path}\n`);
      await page.setViewportSize(desktop);
      await state.prepare?.(page, directory);
      const inLight = await violationsIn(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize(narrowest);
      const seen = { inLight, inDark: await violationsIn(page, 'look'), fits: await fits(page) };
      expect(seen).toEqual({ inLight: [], inDark: [], fits: true });
      expect(await page.locator('ul:empty, ol:empty, dl:empty').count()).toBe(0);
      expect(documents.length).toBeGreaterThan(0);
      for (const document of documents) expect(await faultsOfHtml(await document)).toEqual([]);
      await page.close();
    },
  );
});

describe('a reader who sees other colours, less motion, or paper', async () => {
  const directory = await opened(openShownDirectory());

  it('keeps choices and unknowns apart where colours are forced', async () => {
    const page = await browser.newPage({ viewport: desktop, forcedColors: 'active' });
    await page.goto(directory.url + full);
    const chosen = await styleOf(page, '.tabs :checked + label', 'background-color');
    expect(chosen).not.toBe(await styleOf(page, '.tabs :not(:checked) + label', 'background-color'));
    await page.evaluate(
      "document.querySelectorAll('.asked details').forEach((fold) => { fold.open = true; })",
    );
    const marks = ['.gap', '.known'].map((mark) => page.locator(mark).first());
    const [open, filled] = await Promise.all(
      marks.map((mark) =>
        mark.evaluate((element) => {
          const { getComputedStyle } = globalThis as unknown as {
            getComputedStyle(of: unknown, part: string): { backgroundColor: string };
          };
          return getComputedStyle(element, '::before').backgroundColor;
        }),
      ),
    );
    expect(open).not.toBe(filled);
    expect(await violationsIn(page)).toEqual([]);
    await page.close();
  });

  it('sees no movement with reduced motion', async () => {
    const page = await browser.newPage({ viewport: desktop, reducedMotion: 'reduce' });
    for (const path of ['/', '/agents', full]) {
      await page.goto(directory.url + path);
      const moving = await page.evaluate(
        "[...document.querySelectorAll('*')].filter((element) => { const { transitionDuration, animationName } = getComputedStyle(element); return transitionDuration !== '0s' || animationName !== 'none'; }).length",
      );
      expect([path, moving]).toEqual([path, 0]);
    }
    await page.close();
  });

  it('gets the evidence on paper in ink, with folds open and without what only a screen can do', async () => {
    const page = await browser.newPage({ viewport: desktop, colorScheme: 'dark' });
    await page.goto(directory.url + full);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await styleOf(page, 'body', 'color')).toBe('rgb(25, 27, 30)');
    for (const selector of ['.top nav', '.pages-of', '.explain', '.copy', 'a.button'])
      expect([selector, await styleOf(page, selector, 'display')]).toEqual([selector, 'none']);
    expect(await page.locator('.months td').first().isVisible()).toBe(true);
    await page.close();
  });
});
