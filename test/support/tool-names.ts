import { readdirSync } from 'node:fs';

/** Every tool that has a pinned definition in test/wire/tools, by name, in alphabetical order. */
export const toolNames = readdirSync(new URL('../wire/tools', import.meta.url))
  .map((file) => file.replace(/\.json$/, ''))
  .sort();

/** Those that tools/list shows to a caller without a capability. */
export const listedNames = toolNames.filter(
  (name) => name !== 'withdraw_rating' && name !== 'respond_to_rating',
);
