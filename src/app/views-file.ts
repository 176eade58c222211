import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { splitViews } from '../config/config.ts';
import { viewsFile } from '../config/files.ts';
import type { Context } from '../context.ts';
import { every } from '../core/every.ts';
import { findViewFaults } from './usable-settings.ts';

const pause_ms = 2000;

/** A file with a fault changes nothing, and is logged. */
export async function startReadingViews({ config, log }: Context, signal: AbortSignal): Promise<void> {
  const file = config.viewsFile;
  if (file === '') return;
  let last: string | undefined;
  await every({
    signal,
    pause_ms,
    async run() {
      const text = await readFile(file, 'utf8');
      if (text === last) return;
      last = text;
      const { data, error } = viewsFile.safeParse(file);
      const faults = data ? findViewFaults({ ...config, ...splitViews(data) }) : [];
      if (!data || faults.length > 0) {
        const why = error?.issues.map(({ message }) => message) ?? faults;
        return log.warn(`VIEWS: ${why.join('; ')}; the views of before stay`);
      }
      const { views, privateViews } = splitViews(data);
      if (isDeepStrictEqual([views, privateViews], [config.views, config.privateViews])) return;
      Object.assign(config, { views, privateViews });
      log.info({ views: data.length }, 'the views were read again');
    },
    onError: (err) => log.warn({ err }, 'the views could not be read again; this is tried again'),
  });
}
