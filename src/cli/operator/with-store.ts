import type { Config } from '../../config/config.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';

/** Opens the store of the settings for one piece of work, and closes it after that, whatever becomes of the work. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(config);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
