import { counted } from '../../evidence/text/plural.ts';
import { type Check, fault, fine } from './check.ts';

/** Whether the database is whole (SQLite), and what it has. That it opens is asked before any check runs. */
export const database: Check = {
  name: 'database',
  async look({ store }) {
    if (!store) return [fine('there is none yet; dossier serve makes it')];
    const damage = await store.findDamage().catch((error: Error) => error.message);
    if (damage)
      return [
        fault(
          `it is damaged: ${damage}`,
          'copy what there is, then restore the newest backup into a new database',
        ),
      ];
    const { claims, ratings } = await store.figures.counts();
    const counts = [
      counted(await store.listings.count(), 'listing'),
      counted(claims.claimed + claims.suspended, 'claim'),
      counted(ratings, 'rating'),
    ];
    return [fine(counts.join(', '))];
  },
};
