import { openContext } from '../../../src/app/server.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createObserver } from '../../../src/observations/observer.ts';
import { alternating, repeating } from './changing.ts';

const changes = 60;
const sets = 5;
const day_ms = 86_400_000;

// Usage: node bench/overload/strangers/observe.ts DATABASE_URL HOST_OVERRIDES. Observes the listings whose
// tools change, on one day after the other until today.
const [databaseUrl = '', overrides = ''] = process.argv.slice(2);
const environment = {
  DATABASE_URL: databaseUrl,
  REGISTRY_URL: 'off',
  LOG_LEVEL: 'silent',
  PACKAGE_REGISTRIES: '{}',
  HOST_OVERRIDES: overrides,
};
const opened = await openContext(readConfig(environment, 'bench'), 'make');
let before_ms = (changes + 1) * day_ms;
const context = { ...opened, clock: () => new Date(Date.now() - before_ms) };
const observer = createObserver(context);
for (let day = 0; day < changes; day++) {
  before_ms -= day_ms;
  for (const handle of day < sets ? [alternating, repeating] : [alternating]) {
    const listing = await context.store.listings.byHandle(handle);
    if (!listing) throw new Error(`${handle} is not listed`);
    await observer.observe(listing);
  }
}
await observer.close();
await context.store.close();
