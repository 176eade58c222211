import { type Check, fault, fine } from './check.ts';

/** Whether the database answers, and what it has. That it opens is asked before any check runs. */
export const database: Check = {
  name: 'database',
  async look({ store }) {
    if (!store) return [fine('there is none yet; dossier serve makes it')];
    try {
      const { claims, ratings } = await store.figures.counts();
      const listings = await store.listings.count();
      return [fine(`${listings} listings, ${claims.claimed + claims.suspended} claims, ${ratings} ratings`)];
    } catch (error) {
      return [
        fault(
          `it cannot be read: ${(error as Error).message}`,
          'copy what there is, then restore the newest backup into a new database',
        ),
      ];
    }
  },
};
