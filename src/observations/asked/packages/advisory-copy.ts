import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import yauzl from 'yauzl';
import { cachedOnce } from '../../../core/cached-once.ts';
import { parseForeignJson } from '../../../core/json.ts';
import { dayText } from '../../../core/text.ts';
import { own, say } from '../../../core/words.ts';
import { notAsked } from '../../../net/answer.ts';
import { type Advisory, type FoundAdvisories, readAdvisory, toKey } from './osv.ts';
import { type Ecosystem, isEcosystem } from './version-order.ts';

const longestFile_bytes = 1024 * 1024;

/** An ecosystem may have hundreds of thousands of advisories. */
async function readCopy(path: string, savedAt_ms: number) {
  /** As JSON, parsed on demand. */
  const byPackage = new Map<string, string[]>();
  const ecosystems = new Set<string>();
  let unread = 0;
  const zip = await yauzl.openPromise(path, { lazyEntries: true });
  try {
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('.json')) continue;
      const isRead = entry.uncompressedSize <= longestFile_bytes;
      const file = isRead ? await text(await zip.openReadStreamPromise(entry)) : '';
      const read = readAdvisory(parseForeignJson(file));
      if (!read || read.unread) unread += 1;
      for (const { ecosystem, key, advisory } of read?.about ?? []) {
        if (!isEcosystem(ecosystem)) continue;
        ecosystems.add(ecosystem);
        const known = byPackage.get(key);
        const json = JSON.stringify(advisory);
        if (known) known.push(json);
        else byPackage.set(key, [json]);
      }
    }
  } finally {
    zip.close();
  }
  return { savedAt_ms, byPackage, ecosystems, unread };
}

/** Read on first use, and again after the zip changed. The returned function never throws. */
export function openAdvisoryCopy(path: string) {
  const openSaved = cachedOnce((savedAt_ms) => readCopy(path, Number(savedAt_ms)));
  const open = async () => openSaved(String((await stat(path)).mtimeMs));
  return async (ecosystem: Ecosystem, name: string) => {
    const copy = await open().catch(() => undefined);
    if (!copy) return notAsked(own('The copy of advisories (ADVISORIES) cannot be read.'));
    if (!copy.ecosystems.has(ecosystem))
      return notAsked(say`The copy of advisories (ADVISORIES) has none about packages on ${own(ecosystem)}.`);
    const found = copy.byPackage.get(toKey(ecosystem, name)) ?? [];
    const savedOn = dayText(new Date(copy.savedAt_ms));
    const unread = copy.unread === 0 ? '' : `; ${copy.unread} of its files could not be read in full`;
    return {
      result: 'advisories',
      found: found.map((json) => JSON.parse(json) as Advisory),
      isOfVersion: false,
      saved_on: savedOn,
      source: `OSV (${basename(path)}, saved ${savedOn}${unread})`,
    } satisfies FoundAdvisories;
  };
}
