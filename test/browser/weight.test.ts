import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import type { ClaimedDirectory } from '../support/claimed-directory.ts';
import { pageStates } from '../support/page-states.ts';
import { openShownDirectory } from '../support/shown-directory.ts';

const most_bytes = 60_000;
let browser: Browser;
let directory: ClaimedDirectory;

beforeAll(async () => {
  directory = await openShownDirectory();
  browser = await openBrowser();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await directory?.close();
});

/** Opens a page as somebody who was never here, and answers all bytes that came and how far things moved. */
async function weigh(path: string) {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    const size = request.sizes().then((known) => known.responseBodySize + known.responseHeadersSize);
    sizes.push(size);
  });
  await page.addInitScript(
    'self.moved = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) self.moved += value; }).observe({ type: "layout-shift", buffered: true });',
  );
  await page.goto(directory.url + path, { waitUntil: 'load' });
  const moved = await page.evaluate('new Promise((end) => setTimeout(() => end(self.moved), 150))');
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await page.close();
  return { requests: sizes.length, bytes, moved };
}

describe('every page, with all it loads, to a browser that holds nothing', () => {
  const opened = pageStates.filter(({ prepare }) => prepare === undefined);
  it.each(opened)('$name: below 60,000 bytes, and nothing moves', async ({ path }) => {
    const { requests, bytes, moved } = await weigh(path);
    expect(requests).toBeGreaterThanOrEqual(4);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(most_bytes);
    expect(moved).toBe(0);
    if (process.env.SHOW_WEIGHTS) process.stderr.write(`${String(bytes).padStart(6)} ${path}\n`);
  });
});
