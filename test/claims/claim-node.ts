import { openDatabase } from '../support/database.ts';
import { askClaim, createClaimContext } from './claim-directory.ts';

const [database = '', git = ''] = process.argv.slice(2);
const store = await openDatabase(database);
let now = new Date(0);
const context = createClaimContext(git, { store, clock: () => now });
process.on('message', async (time: string) => {
  now = new Date(time);
  process.send?.(await askClaim(context));
});
process.once('disconnect', () => void store.close());
process.send?.('ready');
