import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser, openPage, type PageTrace } from '../support/browser.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { opened, openedDirectory } from '../support/opened.ts';

/** Seventy that pay, every second with a remote endpoint (one SSE), every third a Python package. */
const payers = Array.from({ length: 70 }, (_, at) => {
  const number = String(at).padStart(2, '0');
  return registryEntry(
    `io.payers/payer-${number}`,
    {
      description: 'Takes payments for an agent',
      ...(at % 2 === 0 && {
        remotes: [{ type: at === 0 ? 'sse' : 'streamable-http', url: `https://payers.example/${at}` }],
      }),
      ...(at % 3 === 0 && {
        packages: [{ registryType: 'pypi', identifier: `payer-${at}`, transport: { type: 'stdio' } }],
      }),
    },
    { publishedAt: new Date(Date.UTC(2026, 8, 1, 8, at)).toISOString() },
  );
});

const directory = await openedDirectory({
  entries: [...seedEntries, ...payers],
  listening: true,
  environment: { LIMITS: 'off' },
});
const browser = await opened(openBrowser());

const expectClean = ({ complaints, origins }: PageTrace) => {
  expect(complaints).toEqual([]);
  expect([...origins]).toEqual([directory.url]);
};
const handles = (page: Page) => page.locator('#list .handle').allTextContents();
const count = (page: Page) => page.locator('#count').textContent();
const search = (page: Page) => new URL(page.url()).search;
const focusedText = (page: Page) => page.evaluate<string>('document.activeElement.textContent');
const scrolled = (page: Page) => page.evaluate<number>('Math.round(scrollY)');
/** Waits as long as a busy machine may take. */
const eventually = <T>(read: () => T) => expect.poll(read);
const facet = (page: Page, name: string) => page.locator('#facets').getByRole('link', { name, exact: true });
const field = (page: Page) => page.getByLabel('Search listings');
/** What a visitor sees of a search, and where it is. */
const stateOf = async (page: Page) => ({
  address: search(page),
  words: await field(page).inputValue(),
  count: await count(page),
  held: await page.locator('#held .tag').allTextContents(),
  handles: await handles(page),
});

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('a search %s', (_name, javaScriptEnabled) => {
  const open = async (path: string) => {
    const trace = await openPage(browser, { javaScriptEnabled });
    await trace.page.goto(directory.url + path);
    return trace;
  };

  it('is typed, filtered, widened, read and come back to in the same state', async () => {
    const trace = await open('/agents');
    const { page } = trace;
    await field(page).pressSequentially('payments');
    if (!javaScriptEnabled) await field(page).press('Enter');
    await eventually(() => search(page)).toBe('?q=payments');
    expect(await count(page)).toBe('71 listings, 20 shown so far.');
    await facet(page, 'remote endpoint recorded').click();
    await eventually(() => search(page)).toBe('?q=payments&has_endpoint=true');
    await facet(page, 'streamable-http').click();
    await eventually(() => search(page)).toBe('?q=payments&has_endpoint=true&transport=streamable-http');
    expect(await count(page)).toBe('34 listings, 20 shown so far.');
    await page.getByRole('link', { name: 'Remove the filter transport: streamable-http' }).click();
    await eventually(() => search(page)).toBe('?q=payments&has_endpoint=true');
    await page.getByRole('link', { name: 'More listings' }).click();
    await eventually(() => count(page)).toBe('35 listings.');
    const seen = await stateOf(page);
    expect(seen).toMatchObject({ words: 'payments', held: ['Remove the filter remote endpoint recorded ×'] });
    expect(seen.handles).toHaveLength(javaScriptEnabled ? 35 : 15);
    expect(seen.handles.at(-1)).toBe('io.payers/payer-66');
    await page.getByRole('link', { name: 'io.payers/payer-66' }).scrollIntoViewIfNeeded();
    const left = await scrolled(page);
    expect(left).toBeGreaterThan(500);
    await page.getByRole('link', { name: 'io.payers/payer-66' }).click();
    await page.waitForURL(`${directory.url}/agents/io.payers/payer-66`);
    await page.goBack();
    expect(await stateOf(page)).toEqual(seen);
    await eventually(() => scrolled(page)).toBe(left);
    await page.reload();
    expect(await stateOf(page)).toEqual(seen);
    expectClean(trace);
    await page.close();
  });

  it('goes back step by step, filters and words with it', async () => {
    const trace = await open('/');
    const { page } = trace;
    await field(page).fill('payments');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(`${directory.url}/agents?q=payments`);
    const words = await stateOf(page);
    await facet(page, 'pypi').click();
    await eventually(() => search(page)).toBe('?q=payments&package=pypi');
    const filtered = await stateOf(page);
    expect(filtered).toMatchObject({
      count: '24 listings, 20 shown so far.',
      held: ['Remove the filter package: pypi ×'],
    });
    await page.getByRole('link', { name: 'Remove the filter package: pypi' }).click();
    await eventually(() => search(page)).toBe('?q=payments');
    await page.goBack();
    await eventually(() => stateOf(page)).toEqual(filtered);
    await page.goBack();
    await eventually(() => stateOf(page)).toEqual(words);
    await page.goForward();
    await eventually(() => stateOf(page)).toEqual(filtered);
    await page.goBack();
    await eventually(() => search(page)).toBe('?q=payments');
    await page.goBack();
    await page.waitForURL(`${directory.url}/`);
    expectClean(trace);
    await page.close();
  });

  it('without results suggests searches that have some', async () => {
    const trace = await open('/agents?q=webhook&package=pypi');
    const { page } = trace;
    expect(await count(page)).toBe('No listing matches.');
    await page.getByRole('link', { name: 'Without the filter “pypi”' }).click();
    await eventually(() => search(page)).toBe('?q=webhook');
    expect(await field(page).inputValue()).toBe('webhook');
    expect(await count(page)).toBe('1 listing.');
    expectClean(trace);
    await page.close();
  });
});

describe('with JavaScript', () => {
  const open = async (path: string, options: Parameters<typeof openPage>[1] = {}) => {
    const trace = await openPage(browser, options);
    await trace.page.goto(directory.url + path);
    return trace;
  };

  it('what is typed is one step in history, and is announced where it always stood', async () => {
    const trace = await open('/agents');
    const { page } = trace;
    await page.evaluate('document.querySelector("#count").kept = true');
    await field(page).pressSequentially(' pay');
    await eventually(() => search(page)).toBe('?q=pay');
    await field(page).pressSequentially('ments  webhooks ');
    await eventually(() => search(page)).toBe('?q=payments+webhooks');
    await eventually(() => page.title()).toBe('Search: “payments webhooks” - Dossier');
    expect(await page.evaluate('document.activeElement.id')).toBe('q');
    expect(await page.evaluate('document.activeElement.selectionStart')).toBe(20);
    expect(await page.evaluate('document.querySelector("#count").kept')).toBe(true);
    expect(await page.locator('#count').getAttribute('role')).toBe('status');
    await page.goBack();
    await eventually(() => search(page)).toBe('');
    await eventually(() => field(page).inputValue()).toBe('');
    expect(await count(page)).toBe('72 listings, 20 shown so far.');
    await field(page).pressSequentially('web');
    await eventually(() => search(page)).toBe('?q=web');
    await field(page).fill('');
    await eventually(() => page.url()).toBe(`${directory.url}/agents`);
    expect(await count(page)).toBe('72 listings, 20 shown so far.');
    expectClean(trace);
    await page.close();
  });

  it('the keyboard keeps its place: on the filter, at the count, at the first listing added', async () => {
    const trace = await open('/agents?q=payments');
    const { page } = trace;
    await facet(page, 'remote endpoint recorded').press('Enter');
    await eventually(() => count(page)).toBe('35 listings, 20 shown so far.');
    expect(await focusedText(page)).toBe('remote endpoint recorded');
    await page.getByRole('link', { name: 'More listings' }).press('Enter');
    await eventually(() => handles(page).then((all) => all.length)).toBe(35);
    expect(await focusedText(page)).toBe((await handles(page))[20]);
    await page.getByRole('link', { name: 'Remove the filter remote endpoint recorded' }).press('Enter');
    await eventually(() => count(page)).toBe('71 listings, 20 shown so far.');
    expect(await focusedText(page)).toBe('71 listings, 20 shown so far.');
    expectClean(trace);
    await page.close();
  });

  it.each([320, 1280])('nothing jumps while results come to a screen %i wide', async (width) => {
    const { page } = await open('/agents', { viewport: { width, height: 800 } });
    await page.evaluate(
      'self.shifts = []; new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value))).observe({ type: "layout-shift" })',
    );
    for (const words of ['pay', 'payer', 'zebra', 'webhook', '']) {
      const before = await count(page);
      await field(page).fill(words);
      await eventually(() => count(page)).not.toBe(before);
    }
    expect(await page.evaluate('shifts')).toEqual([]);
    await page.close();
  });

  it('filters that were opened on a phone stay open', async () => {
    const { page } = await open('/agents', { viewport: { width: 320, height: 640 } });
    expect(await facet(page, 'pypi').isVisible()).toBe(false);
    await page.locator('summary').click();
    await facet(page, 'pypi').click();
    await eventually(() => count(page)).toBe('24 listings, 20 shown so far.');
    expect(await facet(page, 'streamable-http').isVisible()).toBe(true);
    await page.close();
  });

  it('an invalid search shows the reason in place, and the next one works', async () => {
    const { page } = await open(`/agents?q=${'a'.repeat(10_001)}`);
    expect(await count(page)).toBe('This search cannot be run.');
    expect(await page.locator('#wrong').textContent()).toBe('query: must have at most 10000 characters');
    expect(await field(page).getAttribute('aria-invalid')).toBe('true');
    await field(page).fill('webhook');
    await eventually(() => handles(page)).toEqual(['co.webhook/webhook']);
    await page.close();
  });

  it('a missing answer is reported, and the earlier results stay', async () => {
    const { page } = await open('/agents?q=webhook');
    await page.route('**/agents?q=pay*', (route) => route.abort());
    await field(page).fill('payments');
    await eventually(() => count(page)).toBe('No answer came to the last search.');
    expect(await handles(page)).toEqual(['co.webhook/webhook']);
    await field(page).fill('webhooks');
    await eventually(() => count(page)).toBe('1 listing.');
    await page.close();
  });
});
