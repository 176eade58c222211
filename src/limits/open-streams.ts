import { Problem } from '../problem.ts';
import type { LimitSettings } from './limit.ts';

/** Streams of all callers together. */
const mostOfAll = 200;
/** Streams of one network, so that no caller takes the place of all others. */
const mostOfOne = 20;
const retry_after_s = 30;

/** How many streams are open in this process. */
export interface OpenStreams {
  /** Counts one stream of a network; the answer ends it. Throws rate_limited or unavailable if there are too many. */
  open(network: string): () => void;
}

/** Counts streams, of each network and of all. */
export function countOpenStreams({ hasLimits }: Pick<LimitSettings, 'hasLimits'>): OpenStreams {
  const ofNetwork = new Map<string, number>();
  let ofAll = 0;
  return {
    open(network) {
      const own = ofNetwork.get(network) ?? 0;
      if (hasLimits && own >= mostOfOne)
        throw new Problem('rate_limited', {
          retry_after_s,
          detail: `One network has at most ${mostOfOne} streams open at a time; close one.`,
        });
      if (ofAll >= mostOfAll) throw new Problem('unavailable', { retry_after_s });
      ofAll += 1;
      ofNetwork.set(network, own + 1);
      return () => {
        ofAll -= 1;
        const left = (ofNetwork.get(network) ?? 1) - 1;
        if (left > 0) ofNetwork.set(network, left);
        else ofNetwork.delete(network);
      };
    },
  };
}
