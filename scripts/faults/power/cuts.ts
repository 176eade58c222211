import { createDisk } from './disk.ts';
import type { Left } from './pages.ts';
import type { Recording } from './recording.ts';

/** Files as a power cut may leave them, and the moment of it. */
export interface Cut {
  readonly at_ms: number;
  /** For messages. */
  readonly what: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

const lefts: readonly Left[] = ['none', 'all but the end of the last write', 'some'];

/**
 * States after so many power cuts, each at a write or sync chosen at random, which did not come to its end.
 */
export function* cutPower({ before, calls }: Recording, count: number): Generator<Cut> {
  const places = calls.flatMap(({ change: { kind } }, at) =>
    kind === 'write' || kind === 'sync' ? [at] : [],
  );
  const chosen = Array.from({ length: count }, (_, n) => ({
    at: places[Math.floor(Math.random() * places.length)] ?? 0,
    left: lefts[n % lefts.length] ?? 'none',
  }));
  const disk = createDisk(before);
  let done = 0;
  for (const { at, left } of chosen.sort((a, b) => a.at - b.at)) {
    // Of a torn write a part is there.
    const end =
      left === 'all but the end of the last write' && calls[at]?.change.kind === 'write' ? at + 1 : at;
    for (; done < end; done++) disk.change(calls[done]?.change ?? { kind: 'sync', path: '' });
    const { at_ms = 0, change } = calls[at] ?? {};
    const what = `power cut at ${change?.kind} ${at} of ${change?.path}; left of what was not synced: ${left}`;
    yield { at_ms, what, files: disk.afterPowerCut(left) };
  }
}
