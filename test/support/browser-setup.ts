import chromium from '@sparticuz/chromium';

/**
 * Unpacks Chromium before the workers start: two that unpack at once start a file that is still written
 * (ETXTBSY).
 */
export const setup = async (): Promise<void> => {
  await chromium.executablePath();
};
