import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { openBrowser, openPage } from '../support/browser.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { registryEntry } from '../support/entries.ts';
import { onGitHub } from '../support/registry-entries.ts';

const file = 'dossier-claim.txt';
const cost =
  'ratings that the listing has made until then can no longer be changed or withdrawn, and count as those of an ended source; ratings that it has received until then can no longer be responded to; and every earlier capability ends.';

/** The capability of `org.rater/tool`. */
/** The file of every domain's web server; absent: 404. */
let served: string | undefined;
const web = createServer((_request, response) => {
  if (served === undefined) response.writeHead(404).end();
  else response.setHeader('content-type', 'text/plain').end(served);
});

const handleOf = (name: string) => `org.${name}/tool`;

await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
const directory = await openClaimedDirectory({
  listening: true,
  entries: [
    registryEntry('org.rater/tool', onGitHub('rater/tool')),
    registryEntry('org.rated/tool', onGitHub('rated/tool')),
    ...['scripted', 'plain'].map((name) => registryEntry(handleOf(name), onGitHub(`${name}/tool`))),
  ],
  environment: { HOST_OVERRIDES: JSON.stringify({ 'scripted.org': url, 'plain.org': url }) },
});
const rater = await directory.claim('org.rater/tool', 'rater/tool');
const browser = await openBrowser();
afterAll(async () => {
  await browser?.close();
  await directory?.close();
  await new Promise((done) => web.close(done));
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const textOf = async (page: Page) => (await page.locator('main').innerText()).replace(/\s+/g, ' ');

/** The capability and the line that the page shows. */
async function takePair(page: Page) {
  await page.getByText('it is shown only once').waitFor();
  const [key = '', line = ''] = await page.locator('.claim-result pre code').allTextContents();
  expect(key).toMatch(/^dossier_cap_[0-9A-Za-z]{49}$/);
  return { key, line };
}

async function check(page: Page, button = 'I committed it: check again') {
  directory.wait(31);
  await press(page, button);
}

describe.each([
  ['with JavaScript', 'scripted', true],
  ['without JavaScript', 'plain', false],
])('a publisher %s', (_title, name, javaScriptEnabled) => {
  const handle = handleOf(name);
  const address = () => `${directory.url}/agents/${handle}`;
  const standing = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await directory.app.request('/api/capability', { headers })).status;
  };
  const rate = async (subject: string, key: string) =>
    (await directory.rate(subject, key, { interaction_id: `job-${name}` })).rating_id;
  /** The group of the publisher's own rating of `org.rated/tool`. */
  const groupOf = async (rating_id: string) => {
    const answer = await directory.post('/api/tools/list_ratings', { handle: 'org.rated/tool' });
    const { ratings } = (await answer.json()) as { ratings: { rating_id: string; group: string }[] };
    return ratings.find((one) => one.rating_id === rating_id)?.group;
  };

  it('goes from the claim to a second key, lost keys, a moved repository, an opt-out and another method, and loses ratings only where the page said so before', async () => {
    const { page, complaints } = await openPage(browser, { javaScriptEnabled });
    const repository = directory.git.createRepository(`${name}/tool`);
    repository.commit({ 'README.md': 'a tool' });

    // The claim.
    await page.goto(`${address()}/claim`);
    await press(page, 'Get a capability and a line');
    const first = await takePair(page);
    repository.commit({ [file]: first.line });
    await check(page);
    await page.getByRole('heading', { name: 'Claimed', exact: true }).waitFor();
    const rating = await rate('org.rated/tool', first.key);
    expect(await groupOf(rating)).toBe('new_source');

    // A second key needs one of the claim, and costs nothing.
    await page.goto(`${address()}/claim`);
    const another = page.locator('form', { has: page.locator('#key-repository') });
    await another.getByLabel('Capability of the claim').fill(`dossier_cap_${'a'.repeat(49)}`);
    await press(page, 'Get another capability');
    await page.getByText('Nothing was done. The capability is not known.').waitFor();
    await another.getByLabel('Capability of the claim').fill(first.key);
    await press(page, 'Get another capability');
    const second = await takePair(page);
    expect(await textOf(page)).toContain('It works as soon as its line works.');
    repository.commit({ [file]: `${first.line}\n${second.line}\n` });
    await check(page);
    await page.getByRole('heading', { name: 'Claimed', exact: true }).waitFor();
    expect([await standing(first.key), await standing(second.key)]).toEqual([200, 200]);

    // Without any key a line waits for a week. The page says so before the button.
    await page.goto(`${address()}/claim`);
    expect(await textOf(page)).toContain('after it has stood in the file for seven days');
    await press(page, 'Get another capability');
    const lost = await takePair(page);
    expect(await textOf(page)).toContain('after it has stood in the file for seven days');
    repository.commit({ [file]: `${first.line}\n${second.line}\n${lost.line}\n` });
    await check(page);
    await page.getByRole('heading', { name: 'The new line was found, but is not in effect yet' }).waitFor();
    expect([await standing(first.key), await standing(lost.key)]).toEqual([200, 401]);
    expect(await groupOf(rating)).toBe('new_source');

    // The registry records another repository of the account.
    const renamed = directory.git.createRepository(`${name}/renamed`);
    renamed.commit({ 'README.md': 'a tool' });
    await directory.importEntries([registryEntry(handle, onGitHub(`${name}/renamed`))]);
    await page.goto(`${address()}/claim`);
    await page.getByRole('heading', { name: 'The claim is suspended' }).waitFor();
    await another.getByLabel('Capability of the claim').fill(second.key);
    await press(page, 'Get another capability');
    const moved = await takePair(page);
    renamed.commit({ [file]: moved.line });
    await check(page);
    await page.getByRole('heading', { name: 'Claimed', exact: true }).waitFor();
    expect(await standing(moved.key)).toBe(200);
    expect(await groupOf(rating)).toBe('new_source');

    // A response to a rating.
    const received = await rate(handle, rater);
    const response = { rating_id: received, text: 'The fault is mended.' };
    expect((await directory.post('/api/tools/respond_to_rating', response, moved.key)).status).toBe(200);
    await page.goto(`${address()}/ratings`);
    expect(await textOf(page)).toContain('The fault is mended.');

    // The opt-out: a stranger's check is only noted, the holder's acts at once; the line gone, all is as
    // before.
    renamed.commit({ [file]: `${moved.line}\noptout ${handle}\n` });
    await page.goto(`${address()}/claim`);
    await check(page, 'Check for the opt-out line');
    await page.locator('#opt-out-answer').getByText(`The line "optout ${handle}" was read on`).waitFor();
    expect((await directory.app.request(`/agents/${handle}`)).status).toBe(200);
    const optOut = page.locator('form', { has: page.locator('#opt-out-key') });
    await optOut.getByLabel('Capability of the claim').fill(moved.key);
    await check(page, 'Check for the opt-out line');
    await page.locator('.is-withdrawn').waitFor();
    expect((await directory.app.request(`/agents/${handle}`)).status).toBe(410);
    renamed.commit({ [file]: moved.line });
    await check(page, 'Check whether the line is gone');
    await page.getByText(`found no line optout ${handle} there`).waitFor();
    expect([await standing(moved.key), await groupOf(rating)]).toEqual([200, 'new_source']);

    // Another method is another holder: the page says what that costs before the button and beside the line.
    await page.goto(`${address()}/claim`);
    const said = `begins a new claim when none of the lines of the claim is left. The cost of a new claim: ${cost}`;
    expect(await textOf(page)).toContain(said);
    const method = page.locator('form', { has: page.locator('[name=method][value=well_known]') });
    await page.locator('summary', { hasText: 'Put a file on the web server' }).click();
    await method.getByRole('button').click();
    const elsewhere = await takePair(page);
    expect(await textOf(page)).toContain(said);
    renamed.commit({ [file]: null });
    served = elsewhere.line;
    await check(page, 'It is there: check again');
    await page.getByRole('heading', { name: 'The new line was found, but is not in effect yet' }).waitFor();
    for (let pass = 0; pass < 2; pass++) {
      directory.wait(1.25 * 86_400);
      await directory.recheck();
    }
    await check(page, 'It is there: check again');
    await page.getByRole('heading', { name: 'Claimed', exact: true }).waitFor();
    expect([await standing(elsewhere.key), await standing(moved.key)]).toEqual([200, 401]);
    expect(await groupOf(rating)).toBe('source_ended');
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
    served = undefined;
    await page.close();
  });
});
