import type { Context } from '../../context.ts';
import type { Observer, ObserverContext } from '../observer.ts';

/** What answering needs of a context. */
export type AskedContext = ObserverContext & Pick<Context, 'askedLooks'>;

/** Looks that are asked for, until it is ended. */
export interface AskedLooks {
  /** Takes no more, and waits for those that run. */
  end(): Promise<void>;
}

/** Looks at listings when their maintainers ask (claims/ask-look.ts), beside the passes. */
export function answerAskedLooks(observer: Observer, { store, log, askedLooks }: AskedContext): AskedLooks {
  const running = new Set<Promise<void>>();
  const look = async (handle: string) => {
    try {
      const listing = await store.listings.byHandle(handle);
      if (listing && !listing.withdrawn) await observer.observe(listing);
    } catch (error) {
      log.warn({ err: error, handle }, 'a look that was asked for failed');
    }
  };
  const answer = (handle: string) => {
    const looking = look(handle).finally(() => running.delete(looking));
    running.add(looking);
  };
  askedLooks.on('ask', answer);
  return {
    async end() {
      askedLooks.off('ask', answer);
      await Promise.all(running);
    },
  };
}
