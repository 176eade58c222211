import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openBrowser, openPage, type PageTrace } from '../support/browser.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { opened } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';

/** `com.politicalcomms/api` rates `co.webhook/webhook` 25 times; every fifth time it failed. */
async function rate() {
  const capability = await directory.claim('com.politicalcomms/api', 'Political-Comms/political-comms-sdk');
  for (let at = 0; at < 25; at += 1) {
    const more = { interaction_id: `job-${at}`, outcome: at % 5 === 0 ? 'failed' : 'succeeded' };
    await directory.rate('co.webhook/webhook', capability, more);
  }
}

const directory = await opened(
  openClaimedDirectory({
    listening: true,
    entries: [
      ...seedEntries,
      registryEntry('org.maintained/true', onGitHub('maintained/true')),
      registryEntry('org.maintained/false', onGitHub('maintained/false')),
      registryEntry('org.maintained/watched', onGitHub('maintained/watched')),
      registryEntry('org.maintained/refused', onGitHub('maintained/refused')),
    ],
  }),
);
await rate();
const browser = await opened(openBrowser());

/** Nothing was complained of, and nothing was asked of anybody else. */
const expectClean = ({ complaints, origins }: PageTrace) => {
  expect(complaints).toEqual([]);
  expect([...origins]).toEqual([directory.url]);
};

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('a visitor %s', (_name, javaScriptEnabled) => {
  const open = () => openPage(browser, { javaScriptEnabled });

  it('goes from home by search to a listing and its ratings', async () => {
    const trace = await open();
    const { page } = trace;
    await page.goto(directory.url);
    await page.getByLabel('Search listings').fill('webhook');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(`${directory.url}/agents?q=webhook`);
    await page.getByRole('link', { name: 'co.webhook/webhook' }).click();
    await page.waitForURL(`${directory.url}/agents/co.webhook/webhook`);
    expect(await page.locator('h1').textContent()).toBe('co.webhook/webhook');
    expect(await page.locator('.native .statement').textContent()).toBe(
      'No independent source; 25 ratings set apart. Each rating is one sourced signal, never a final verdict.',
    );
    await page.getByText('Badge', { exact: true }).click();
    const badge = page.locator('img.badge');
    await badge.scrollIntoViewIfNeeded();
    await expect
      .poll(() => badge.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(50);
    await page.getByText('Outcomes by month', { exact: true }).click();
    expect(await page.locator('.months tbody tr').first().locator('td').allTextContents()).toEqual([
      'none',
      '20 succeeded, 5 failed',
    ]);
    await page.getByRole('link', { name: 'All ratings, with what was amended and withdrawn' }).click();
    expect(await page.locator('h1').textContent()).toBe('Ratings');
    await page.getByRole('link', { name: 'failed', exact: true }).click();
    await page.waitForURL(`${directory.url}/agents/co.webhook/webhook/ratings?outcome=failed`);
    expect(await page.locator('.record .outcome').allTextContents()).toEqual(Array(5).fill('failed'));
    await page.getByRole('link', { name: 'any outcome' }).click();
    expect(await page.locator('.record').count()).toBe(20);
    await page.getByRole('link', { name: 'Older ratings' }).click();
    await page.waitForURL(/cursor=/);
    expect(await page.locator('.record').count()).toBe(5);
    await page.goBack();
    expect(await page.locator('.record').count()).toBe(20);
    expectClean(trace);
    await page.close();
  });

  it('sends feedback after correcting the errors that the form shows', async () => {
    const trace = await open();
    const { page } = trace;
    await page.goto(`${directory.url}/feedback`);
    await page.getByLabel('Message').fill('A word to the operator');
    await page.getByLabel('Handle of the listing').fill('not a handle');
    await page.getByRole('button', { name: 'Send feedback' }).click();
    await page.locator('#handle-error').waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('A word to the operator');
    await page.getByLabel('Handle of the listing').fill('co.webhook/webhook');
    await page.getByRole('button', { name: 'Send feedback' }).click();
    await page.getByRole('status').getByText('Received.').waitFor();
    expect(new URL(page.url()).searchParams.get('received')).toMatch(/^[0-9a-f-]{36}$/);
    expect(trace.complaints.filter((text) => !text.includes('422'))).toEqual([]);
    expect([...trace.origins]).toEqual([directory.url]);
    await page.close();
  });

  it('chooses a client, reads the counts as a table and takes a badge', async () => {
    const trace = await open();
    const { page } = trace;
    await page.goto(`${directory.url}/api/mcp`);
    const own = page.locator('main .tabs').first();
    expect(await own.locator('pre:visible').allTextContents()).toHaveLength(1);
    await own.getByText('Codex', { exact: true }).click();
    expect(await own.locator('pre:visible code').textContent()).toBe(
      `[mcp_servers.dossier]\nurl = "${directory.url}/api/mcp"`,
    );
    await own.getByText('VS Code', { exact: true }).click();
    expect(await own.locator('.panel:visible a').getAttribute('href')).toBe(
      `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'dossier', type: 'http', url: `${directory.url}/api/mcp` }))}`,
    );
    await page.goto(`${directory.url}/agents/co.webhook/webhook`);
    await page.getByText('Badge', { exact: true }).click();
    await page.getByRole('link', { name: 'Other styles' }).click();
    await page.getByRole('link', { name: 'for-the-badge' }).click();
    await page.waitForURL(`${directory.url}/agents/co.webhook/webhook/badge?style=for-the-badge`);
    expect(await page.locator('pre:visible code').first().textContent()).toContain(
      'webhook?style=for-the-badge)](',
    );
    expectClean(trace);
    await page.close();
  });

  it('claims a listing with the form and a commit', async () => {
    const trace = await open();
    const { page } = trace;
    const handle = `org.maintained/${javaScriptEnabled}`;
    const repository = directory.git.createRepository(`maintained/${javaScriptEnabled}`);
    repository.commit({ 'README.md': 'a repository' });
    await page.goto(`${directory.url}/agents/${handle}`);
    await page.getByText('Is this yours?').click();
    await page.getByRole('link', { name: `How to claim ${handle}` }).click();
    await page.getByRole('button', { name: 'Get a capability and a line', exact: true }).click();
    await page.getByText('it is shown only once').waitFor();
    expect(await page.locator('.stepper [aria-current="step"] strong').textContent()).toBe(
      'File in the repository',
    );
    const blocks = await page.locator('.claim-result pre code').allTextContents();
    expect(blocks[0]).toMatch(/^dossier_cap_[0-9A-Za-z]{49}$/);
    expect(await page.getByText(/The next check runs by itself in \d+ seconds/).isVisible()).toBe(
      javaScriptEnabled,
    );
    expect(await page.getByText('Press the button once the line is there').isVisible()).toBe(
      !javaScriptEnabled,
    );
    await page.getByRole('button', { name: 'I committed it: check again' }).click();
    await page.getByRole('heading', { name: 'Not claimed yet' }).waitFor();
    repository.commit({ 'dossier-claim.txt': blocks[1] ?? '' });
    directory.wait(31);
    await page.getByRole('button', { name: 'I committed it: check again' }).click();
    await page.getByRole('heading', { name: 'Claimed', exact: true }).waitFor();
    expect(await page.locator('.stepper .done').count()).toBe(3);
    expect(await page.content()).not.toContain('dossier_cap_');
    await page.goto(`${directory.url}/agents/${handle}`);
    expect(await page.locator('.states .state').textContent()).toMatch(/^Claimed \d{4}-\d\d-\d\d$/);
    expectClean(trace);
    await page.close();
  });
});

describe('with JavaScript', () => {
  it.each([503, 429])('the claim page checks again by itself after an answer of %i', async (status) => {
    const { page } = await openPage(browser);
    await page.clock.install();
    await page.goto(`${directory.url}/agents/org.maintained/refused/claim`);
    await page.getByRole('button', { name: 'Get a capability and a line', exact: true }).click();
    await page.getByText('it is shown only once').waitFor();
    let refused = 0;
    await page.route('**/claim', (route) => {
      refused += 1;
      return route.fulfill({ status, contentType: 'text/html', body: '<p>later</p>' });
    });
    await page.clock.fastForward(32_000);
    await expect.poll(() => refused).toBe(1);
    await page.clock.fastForward(10_000);
    await page.getByText('The last check got no answer. This page asks again every minute.').waitFor();
    await page.clock.fastForward(60_000);
    await expect.poll(() => refused).toBeGreaterThan(1);
    await page.unroute('**/claim');
    await page.clock.fastForward(61_000);
    await page.locator('#claim-now [data-countdown]').waitFor();
    expect(await page.locator('.claim-result pre code').first().textContent()).toMatch(/^dossier_cap_/);
    await page.close();
  });

  it('the claim page follows what is found in the repository, and keeps the secret in view', async () => {
    const { page, complaints } = await openPage(browser);
    await page.clock.install();
    await page.goto(`${directory.url}/agents/org.maintained/watched/claim`);
    await page.getByRole('button', { name: 'Get a capability and a line', exact: true }).click();
    await page.getByText('it is shown only once').waitFor();
    const [secret, challenge] = await page.locator('.claim-result pre code').allTextContents();
    directory.git.createRepository('maintained/watched').commit({ 'dossier-claim.txt': challenge ?? '' });
    await page.clock.fastForward(12_000);
    expect(Number(await page.locator('[data-countdown]').textContent())).toBeLessThan(20);
    await page.clock.fastForward(20_000);
    await page.locator('#claim-status').getByText('Write access to the default branch').waitFor();
    expect(await page.locator('.claim-result pre code').first().textContent()).toBe(secret);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('configurations can be copied', async () => {
    const trace = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = trace;
    await page.goto(`${directory.url}/agents/co.webhook/webhook`);
    await page.locator('#connect ~ .tabs .copy').first().click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'claude mcp add --transport http webhook https://mcp.webhook.co/mcp',
    );
    expectClean(trace);
    await page.close();
  });
});

describe('with the keyboard alone', () => {
  const focused = '(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()';
  /** Presses Tab until what is in focus is called so. */
  async function tabTo(page: Page, name: string) {
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate(focused)) === name) return;
    }
    throw new Error(`Tab never reached ${name}`);
  }

  it('a listing is found, weighed and its claim begun', async () => {
    const trace = await openPage(browser);
    const { page } = trace;
    await page.goto(directory.url);
    await tabTo(page, 'Skip to content');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    await tabTo(page, 'Search listings');
    await page.keyboard.type('webhook');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=webhook/);
    await page.goto(`${directory.url}/agents/co.webhook/webhook`);
    await tabTo(page, 'Outcomes by month');
    await page.keyboard.press('Enter');
    expect(await page.locator('.months').isVisible()).toBe(true);
    await tabTo(page, 'Claude Code');
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(focused)).toBe('Cursor');
    expect(await page.locator('#connect ~ .tabs').first().locator('pre:visible').textContent()).toContain(
      '"mcpServers"',
    );
    await tabTo(page, 'Is this yours?');
    await page.keyboard.press('Enter');
    await tabTo(page, 'How to claim co.webhook/webhook');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${directory.url}/agents/co.webhook/webhook/claim`);
    await tabTo(page, 'Get a capability and a line');
    expectClean(trace);
    await page.close();
  });
});
