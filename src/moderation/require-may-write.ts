import type { Context } from '../context.ts';
import { handleParts } from '../evidence/handle.ts';
import { type Moderation, toAppeal } from '../evidence/moderation/moderation.ts';
import { Problem } from '../problem.ts';
import { isInNetworks } from './network.ts';

type WritingContext = Pick<Context, 'store' | 'config' | 'caller'>;

/** Who writes: a listing, by which capability, and accounts `host/owner` besides that of its claim. */
export interface Writing {
  readonly handle: string;
  readonly capability_id?: string;
  readonly accounts?: readonly string[];
}

const refusal = ({ action, statement }: Moderation, { config }: WritingContext) =>
  new Problem(action === 'revoke' ? 'capability_revoked' : 'writing_blocked', {
    detail: `${statement} ${toAppeal(config)}`,
  });

/** Throws writing_blocked if the operator blocked the caller's network. */
export async function requireOpenNetwork(context: WritingContext): Promise<void> {
  const blocks = await context.store.moderation.networks();
  const block = blocks.find(({ target }) => isInNetworks(context.caller.network, [target]));
  if (block) throw refusal(block, context);
}

/** Throws writing_blocked, or capability_revoked, if the operator keeps this listing or the caller's network from writing. */
export async function requireMayWrite(writing: Writing, context: WritingContext): Promise<void> {
  await requireOpenNetwork(context);
  const { handle, capability_id, accounts = [] } = writing;
  const { namespace } = handleParts(handle);
  const against = await context.store.moderation.against({ namespace, accounts, handle, capability_id });
  if (against) throw refusal(against, context);
}
