import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, openPage, type PageTrace } from '../support/browser.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { createGitServer, type GitRepository, type GitServer } from '../support/git-server.ts';

let browser: Browser;
let directory: Directory;
let git: GitServer;
let repository: GitRepository;

beforeAll(async () => {
  git = await createGitServer();
  repository = git.createRepository('webhook-co/webhook');
  repository.commit({ 'README.md': 'webhook' });
  const hosts = { 'github.com': { git: git.url, raw: `${git.url}/raw` } };
  directory = await openDirectory({
    listening: true,
    environment: { REPOSITORY_HOSTS: JSON.stringify(hosts), LIMITS: 'off' },
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await directory?.close();
  await git?.close();
});

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
      'No native ratings. For a decision to buy, that absence matters.',
    );
    const badge = page.locator('img.badge');
    await badge.scrollIntoViewIfNeeded();
    await expect
      .poll(() => badge.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(50);
    await page.goto(`${directory.url}/agents/co.webhook/webhook/ratings`);
    expect(await page.locator('h1').textContent()).toBe('Native ratings');
    expectClean(trace);
    await page.close();
  });

  it('browses by tag and by filters', async () => {
    const trace = await open();
    const { page } = trace;
    await page.goto(`${directory.url}/tags`);
    await page.getByRole('link', { name: 'webhooks' }).click();
    await page.waitForURL(`${directory.url}/tags/webhooks`);
    expect(await page.locator('.card h3').allTextContents()).toEqual(['co.webhook/webhook']);
    await page.goto(`${directory.url}/agents`);
    await page.getByRole('link', { name: 'has a remote endpoint' }).click();
    await page.waitForURL(`${directory.url}/agents?has_endpoint=true`);
    expect(await page.locator('.card h3').allTextContents()).toEqual(['co.webhook/webhook']);
    expectClean(trace);
    await page.close();
  });

  it('sends feedback, and is told what is wrong with it first', async () => {
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
});

describe('a maintainer without JavaScript', () => {
  it('claims a listing with the form and a commit', async () => {
    const trace = await openPage(browser, { javaScriptEnabled: false });
    const { page } = trace;
    await page.goto(`${directory.url}/agents/co.webhook/webhook`);
    await page.getByRole('link', { name: 'How to claim co.webhook/webhook' }).click();
    await page.getByRole('button', { name: 'Get a challenge' }).click();
    await page.getByText('it is shown once').waitFor();
    const blocks = await page.locator('.claim-result pre code').allTextContents();
    expect(blocks[0]).toMatch(/^dossier_cap_[0-9A-Za-z]{49}$/);
    repository.commit({ 'dossier-claim.txt': blocks[1] ?? '' });
    directory.wait(31);
    await page.getByRole('button', { name: 'I committed it: look again' }).click();
    await page.getByRole('heading', { name: 'Claimed', exact: true }).waitFor();
    expect(await page.content()).not.toContain('dossier_cap_');
    await page.goto(`${directory.url}/agents/co.webhook/webhook`);
    expect(await page.locator('.state').textContent()).toBe('Claimed');
    expectClean(trace);
    await page.close();
  });
});

describe('with JavaScript', () => {
  it('the claim page follows what is found in the repository, and keeps the secret in view', async () => {
    const { page, complaints } = await openPage(browser);
    await page.clock.install();
    await page.goto(`${directory.url}/agents/com.politicalcomms/api/claim`);
    await page.getByRole('button', { name: 'Get a challenge' }).click();
    await page.getByText('it is shown once').waitFor();
    const [secret, challenge] = await page.locator('.claim-result pre code').allTextContents();
    git
      .createRepository('Political-Comms/political-comms-sdk')
      .commit({ 'dossier-claim.txt': challenge ?? '' });
    directory.wait(31);
    await page.clock.fastForward(36_000);
    await page.locator('#claim-status').getByText('Write access to the default branch').waitFor();
    expect(await page.locator('.claim-result pre code').first().textContent()).toBe(secret);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('results follow what is typed, and the address with them', async () => {
    const trace = await openPage(browser);
    const { page } = trace;
    await page.goto(`${directory.url}/agents`);
    expect(await page.locator('.card').count()).toBe(2);
    await page.getByLabel('Search listings').pressSequentially('webh');
    await expect.poll(() => page.locator('.card h3').allTextContents()).toEqual(['co.webhook/webhook']);
    await expect.poll(() => new URL(page.url()).search).toBe('?q=webh');
    expect(await page.getByLabel('Search listings').inputValue()).toBe('webh');
    expect(await page.locator('h1').count()).toBe(1);
    expectClean(trace);
    await page.close();
  });

  it('configurations can be copied', async () => {
    const trace = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = trace;
    await page.goto(`${directory.url}/agents/co.webhook/webhook`);
    await page.locator('#connect ~ .folds .copy').first().click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `claude mcp add --transport http dossier ${directory.url}/api/mcp`,
    );
    expectClean(trace);
    await page.close();
  });
});

describe('every page', () => {
  const paths = [
    '/',
    '/agents',
    '/tags',
    '/tools',
    '/about',
    '/feedback',
    '/agents/co.webhook/webhook',
    '/agents/com.politicalcomms/api/claim',
    '/agents/com.politicalcomms/api/badge',
    '/api/mcp',
  ];

  it.each([
    ['a phone in the dark', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' as const }],
    ['a desktop in the light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' as const }],
  ])('fits %s and can be walked by keyboard', async (_name, options) => {
    const trace = await openPage(browser, options);
    for (const path of paths) {
      await trace.page.goto(directory.url + path);
      expect([path, await trace.page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual(
        [path, true],
      );
      await trace.page.keyboard.press('Tab');
      expect(await trace.page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
      const outline = await trace.page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      expect(outline).toBe('solid');
    }
    expectClean(trace);
    await trace.page.close();
  });
});
