import { Problem } from '../problem.ts';
import type { LimitSettings } from './limit.ts';
import { type CountedNetwork, toCountedNetworks } from './networks.ts';

/** Streams of all callers together. */
const mostOfAll = 200;
/** Streams of one network, so that no caller takes the place of all others. */
const mostOfOne = 20;
/** Streams of the widest networks: half of all, so that none of them takes every place either. */
const mostOfWide = 100;
const retry_after_s = 30;

const mostOf = ({ times }: CountedNetwork) => Math.min(mostOfOne * times, mostOfWide);

const tooMany = ({ times }: CountedNetwork, most: number) =>
  times === 1
    ? `One network has at most ${most} streams open at a time; close one.`
    : `The networks around this one have at most ${most} streams open at a time; try again later.`;

/** How many streams are open in this process. */
export interface OpenStreams {
  /**
   * Counts one stream of a network, and of the wider ones around it (docs/trust.md section 5); the answer ends it. Throws
   * rate_limited or unavailable if there are too many.
   */
  open(network: string): () => void;
}

/** Counts streams, of each network and of all. */
export function countOpenStreams({ hasLimits }: Pick<LimitSettings, 'hasLimits'>): OpenStreams {
  const openOf = new Map<string, number>();
  let ofAll = 0;
  const add = (network: string, streams: number) => {
    const open = (openOf.get(network) ?? 0) + streams;
    if (open > 0) openOf.set(network, open);
    else openOf.delete(network);
  };
  return {
    open(network) {
      const counted = toCountedNetworks(network);
      const full = counted.find((one) => (openOf.get(one.network) ?? 0) >= mostOf(one));
      if (hasLimits && full)
        throw new Problem('rate_limited', { retry_after_s, detail: tooMany(full, mostOf(full)) });
      if (ofAll >= mostOfAll) throw new Problem('unavailable', { retry_after_s });
      ofAll += 1;
      for (const one of counted) add(one.network, 1);
      return () => {
        ofAll -= 1;
        for (const one of counted) add(one.network, -1);
      };
    },
  };
}
