import type { Action } from '../action.ts';
import { block } from './block.ts';
import { erase } from './erase.ts';
import { hide } from './hide.ts';
import { revoke } from './revoke.ts';
import { voidRating } from './void.ts';
import { withdraw } from './withdraw.ts';

/** Everything that the operator can do. The command line and the documents are loops over this list. */
export const actions: readonly Action[] = [hide, withdraw, voidRating, revoke, block, erase];
