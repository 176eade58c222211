import { readdirSync } from 'node:fs';

/**
 * Those that tools/list shows to a caller with a capability: those that have a pinned definition in
 * test/wire/tools.
 */
export const holderNames = readdirSync(new URL('../wire/tools', import.meta.url))
  .map((file) => file.replace(/\.json$/, ''))
  .sort();

/** Every tool by name, in alphabetical order. */
export const toolNames = [...holderNames, 'resolve_agents'].sort();

/** Those that tools/list shows to a caller without a capability. */
export const listedNames = holderNames.filter(
  (name) => name !== 'withdraw_rating' && name !== 'respond_to_rating',
);
