import { expect, it } from 'vitest';
import { startObserving } from '../../src/observations/schedule.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { openDirectory } from '../support/directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';

it('the page of a listing that was never checked fills in what was seen, without being loaded again', async () => {
  await using close = new AsyncDisposableStack();
  const tools = await startModernServer(() => [{ name: 'replay', description: 'Replays' }]);
  close.defer(tools.close);
  const remotes = [{ type: 'streamable-http', url: 'https://mcp.example.org/mcp' }];
  const directory = await openDirectory({
    entries: [registryEntry('org.example/agent', { remotes })],
    listening: true,
    environment: { OBSERVE: 'asked', HOST_OVERRIDES: JSON.stringify({ 'mcp.example.org': tools.url }) },
  });
  close.defer(directory.close);
  const stopping = new AbortController();
  const observing = startObserving(directory.context, stopping.signal);
  close.defer(async () => {
    stopping.abort();
    await observing;
  });
  await expect.poll(() => directory.context.askedChecks.read).toBeTypeOf('function');
  const browser = await openBrowser();
  close.defer(() => browser.close());
  const { page, complaints } = await openPage(browser);
  const loads: string[] = [];
  page.on('load', () => loads.push(page.url()));

  await page.goto(`${directory.url}/agents/org.example/agent`);
  const waits = page.getByText('A check of this listing by Dossier is waiting or running.');
  expect(await waits.count()).toBe(1);
  expect(await page.locator('#evidence').textContent()).not.toContain('replay');
  await page.locator('#evidence').getByText('replay').first().waitFor();
  expect(await waits.count()).toBe(0);
  expect(await page.locator('#evidence').count()).toBe(1);
  expect(loads).toHaveLength(1);
  expect(complaints).toEqual([]);
});
