import chromium from '@sparticuz/chromium';
import { type Browser, chromium as engine, type Page } from 'playwright-core';

/**
 * Switches for lambdas that tests must not have: one process ends with its first page, no web security hides
 * faults, and what starts each page's process anew or draws like a graphics card takes a third of the time.
 */
const unwanted =
  /^--(single-process|disable-web-security|disable-site-isolation-trials|no-zygote|use-gl|use-angle|enable-unsafe-swiftshader|ignore-gpu-blocklist|in-process-gpu)(=|$)/;

/** A real Chromium from npm; close it after use. */
export const openBrowser = async (): Promise<Browser> =>
  engine.launch({
    args: [...chromium.args.filter((argument) => !unwanted.test(argument)), '--disable-gpu'],
    executablePath: await chromium.executablePath(),
    headless: true,
  });

/** A page, with its requests and complaints while it is open. */
export interface PageTrace {
  readonly page: Page;
  /** Console errors and warnings, and exceptions of scripts. */
  readonly complaints: string[];
  /** Origins of all its requests. */
  readonly origins: Set<string>;
}

/** Opens a page whose complaints and requests are recorded. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<PageTrace> {
  const page = await browser.newPage(options);
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:') origins.add(url.origin);
  });
  return { page, complaints, origins };
}
