import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../test/support/browser.ts';
import type { ClaimedDirectory } from '../test/support/claimed-directory.ts';
import { type PageState, pageStates } from '../test/support/page-states.ts';
import { readmePicture, takeReadmePicture } from '../test/support/readme-picture.ts';
import { drawSession } from './moving-picture.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: '.screenshots' },
    only: { type: 'string', default: '' },
    look: { type: 'string', default: '' },
  },
});

const looks = [
  { name: 'phone-light', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { name: 'phone-dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  { name: 'desktop-light', viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { name: 'desktop-dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
] as const;

/** Chromium draws no picture taller than 8,192 pixels right: a longer page becomes several. */
const tallest = 8000;

async function take(state: PageState, look: (typeof looks)[number], [browser, directory]: Opened) {
  const page = await browser.newPage(look);
  await page.goto(directory.url + state.path);
  await state.prepare?.(page, directory);
  const { width } = look.viewport;
  const tallness = Number(await page.evaluate('document.documentElement.scrollHeight'));
  for (let y = 0; y < tallness; y += tallest) {
    const part = y === 0 ? '' : `.${y / tallest + 1}`;
    const clip = { x: 0, y, width, height: Math.min(tallest, tallness - y) };
    const path = join(values.out, `${state.name}.${look.name}${part}.png`);
    await page.screenshot({ path, fullPage: true, clip });
  }
  await page.close();
}

/** Takes the pictures of the README anew: the page of a listing, and a session of an agent. */
async function renewReadmePictures([browser, directory]: Opened) {
  const page = await browser.newPage(readmePicture.look);
  await page.goto(directory.url + readmePicture.path);
  writeFileSync(readmePicture.file, await takeReadmePicture(page));
  writeFileSync(sessionFile, await drawSession(directory));
  await page.close();
}

const sessionFile = 'docs/session.svg';

type Opened = readonly [browser: Browser, directory: ClaimedDirectory];

const browser = await openBrowser();
mkdirSync(values.out, { recursive: true });
const isOfReadme = 'readme'.startsWith(values.only);
let taken = 0;
for (const { of, open, states } of pageStates) {
  const wanted = states.filter(({ name }) => name.startsWith(values.only));
  const hasReadme = isOfReadme && of === 'checks';
  if (wanted.length === 0 && !hasReadme) continue;
  const opened: Opened = [browser, await open()];
  for (const look of looks.filter(({ name }) => name.includes(values.look)))
    for (const state of wanted) await take(state, look, opened);
  if (hasReadme) await renewReadmePictures(opened);
  await opened[1].close();
  taken += wanted.length;
}
await browser.close();
process.stdout.write(`${taken} page states in ${values.out}\n`);
if (isOfReadme)
  process.stdout.write(`the pictures of the README in ${readmePicture.file} and ${sessionFile}\n`);
