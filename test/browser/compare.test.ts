import { describe, expect, it } from 'vitest';
import { violationsIn } from '../support/accessibility.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const long = 'io.github.a-publisher-with-a-long-account-name/a-server-with-a-long-name-that-does-not-end';

const directory = await openedDirectory({
  listening: true,
  environment: { LIMITS: 'off' },
  entries: [
    ...seedEntries,
    registryEntry(long, { description: 'Its name is long' }),
    ...Array.from({ length: 5 }, (_, at) => registryEntry(`io.many/server-${at}`, {})),
  ],
});
const browser = await opened(openBrowser());

const eight = [
  'co.webhook/webhook',
  'com.politicalcomms/api',
  long,
  ...Array.from({ length: 5 }, (_, at) => `io.many/server-${at}`),
];
const comparedEight = () =>
  `${directory.url}/compare?${new URLSearchParams([...eight.map((handle) => ['handle', handle]), ['has_endpoint', 'true'], ['endpoint_observed_alive', 'true'], ['claimed', 'true']])}`;

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('a visitor %s', (_name, javaScriptEnabled) => {
  it('ticks listings of a search, compares them, adds one more, changes the criteria, shares the address', async () => {
    const { page, complaints, origins } = await openPage(browser, { javaScriptEnabled });
    await page.goto(`${directory.url}/agents`);
    await page.getByLabel('Compare co.webhook/webhook').check();
    await page.getByLabel('Compare com.politicalcomms/api').check();
    await page.getByRole('button', { name: 'Compare ticked listings' }).click();
    await page.getByRole('heading', { name: 'What is recorded' }).waitFor();
    const heads = () => page.locator('#imported ~ .scroll thead a').allTextContents();
    await expect.poll(heads).toEqual(['co.webhook/webhook', 'com.politicalcomms/api']);

    await page.getByLabel('Add a listing').fill('long');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: `Add ${long}` }).click();
    await expect.poll(heads).toEqual(['co.webhook/webhook', 'com.politicalcomms/api', long]);

    await page.getByText('Criteria: 9 picked').click();
    await page.getByLabel('Asks for no secret').uncheck();
    await page.getByLabel('Transport').selectOption('stdio');
    await page.getByLabel('First published at least').fill('7');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('Criteria: 10 picked').waitFor();
    const row = page.getByRole('row', { name: /^Transport stdio recorded/ });
    expect(await row.locator('.result').allTextContents()).toEqual(['Not met', 'Met', 'Unknown']);

    const shared = await openPage(browser, { javaScriptEnabled });
    await shared.page.goto(page.url());
    expect(await shared.page.locator('main').textContent()).toBe(await page.locator('main').textContent());
    await page.getByRole('link', { name: 'Remove com.politicalcomms/api' }).click();
    await expect.poll(heads).toEqual(['co.webhook/webhook', long]);
    expect(complaints).toEqual([]);
    expect([...origins]).toEqual([directory.url]);
    await page.close();
    await shared.page.close();
  });
});

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('what is ticked, %s', (_name, javaScriptEnabled) => {
  it('stays ticked through further searches, and can be unticked', async () => {
    const { page, complaints } = await openPage(browser, { javaScriptEnabled });
    await page.goto(`${directory.url}/agents?q=webhook`);
    await page.getByLabel('Compare co.webhook/webhook').check();
    const search = async (words: string, shown: string) => {
      await page.getByLabel('Search listings').fill(words);
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search' }).click();
      await page.locator('#list').getByRole('link', { name: shown }).waitFor();
    };
    await search('sms', 'com.politicalcomms/api');
    expect(await page.getByLabel('Compare co.webhook/webhook').isChecked()).toBe(true);
    expect(await page.getByText('Ticked before').isVisible()).toBe(true);
    await page.getByLabel('Compare com.politicalcomms/api').check();
    await search('server', 'io.many/server-0');
    await page.getByLabel('Compare io.many/server-0').check();
    await page.getByLabel('Compare co.webhook/webhook').uncheck();
    await search('sms', 'com.politicalcomms/api');
    expect(await page.getByLabel('Compare co.webhook/webhook').count()).toBe(0);
    if (javaScriptEnabled) {
      await page.getByRole('link', { name: 'last updated' }).click();
      await page.getByText('last updated', { exact: true }).and(page.locator('strong')).waitFor();
    }
    await page.getByRole('button', { name: 'Compare ticked listings' }).click();
    await page.waitForURL(/\/compare\?handle/);
    const heads = await page.locator('#imported ~ .scroll thead a').allTextContents();
    expect(heads.toSorted()).toEqual(['com.politicalcomms/api', 'io.many/server-0']);
    expect(await page.getByText('Criteria: 9 picked').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

it('what is the same for all listings is said once, and can be hidden without script', async () => {
  const { page } = await openPage(browser, { javaScriptEnabled: false });
  await page.goto(comparedEight());
  const question = (name: string) =>
    page.locator('.question', { has: page.getByRole('heading', { name, exact: true }) });
  expect(await question('Claimed').locator('li').allTextContents()).toEqual([
    expect.stringContaining('The same for all 8:'),
  ]);
  await page.getByLabel('Differences only').check();
  expect(await page.locator('.same').first().isVisible()).toBe(false);
  expect(await question('Remote endpoint recorded').isVisible()).toBe(true);
  await page.close();
});

describe('eight listings side by side', () => {
  it.each([320, 1280])(
    'have each answer once, under the listings that give it, %d pixels wide, with nothing to scroll sideways',
    async (width) => {
      const { page } = await openPage(browser, { viewport: { width, height: 800 } });
      await page.goto(comparedEight());
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const narrowest = await page.evaluate(
        "Math.min(...[...document.querySelectorAll('.question li')].map((one) => one.clientWidth))",
      );
      expect(narrowest).toBeGreaterThan(240);
      const asked = page.locator('.question', { hasText: 'Remote endpoint recorded' });
      const answers = await asked.locator('li').all();
      const said = answers.map(async (one) => [
        await one.locator('.result').textContent(),
        await one.locator('.of').allTextContents(),
      ]);
      expect(await Promise.all(said)).toEqual([
        ['Met', eight.slice(0, 1)],
        ['Not met', eight.slice(1)],
      ]);
      await page.close();
    },
  );

  it.each(['light', 'dark'] as const)('have no accessibility violation, in the %s', async (colorScheme) => {
    const { page } = await openPage(browser, { colorScheme, viewport: { width: 1100, height: 800 } });
    const wrong = `${directory.url}/compare?handle=co.webhook%2Fwebhook&handle=a.b%2Fc&tag=No`;
    const found = `${directory.url}/compare?handle=co.webhook%2Fwebhook&add=server`;
    for (const address of [comparedEight(), wrong, found, `${directory.url}/agents`]) {
      await page.goto(address);
      expect([address, await violationsIn(page)]).toEqual([address, []]);
    }
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(comparedEight());
    expect(await violationsIn(page)).toEqual([]);
    await page.close();
  });

  it('tell answers apart without colour, and print without the form', async () => {
    const { page } = await openPage(browser, {
      viewport: { width: 1100, height: 800 },
      forcedColors: 'active',
    });
    await page.goto(comparedEight());
    const shapes = await page.evaluate(`['met', 'not_met', 'unknown'].map((name) => {
      const box = document.querySelector('.result.' + name);
      return [getComputedStyle(box).borderStyle, getComputedStyle(box, '::before').content[1], box.textContent];
    })`);
    expect(shapes).toEqual([
      ['solid', '■', 'Met'],
      ['solid', '□', 'Not met'],
      ['dashed', '?', 'Unknown'],
    ]);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('form.compare').isVisible()).toBe(false);
    expect(await page.locator('.question').first().isVisible()).toBe(true);
    await page.close();
  });
});
