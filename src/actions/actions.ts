import type { Context } from '../context.ts';
import { dayText } from '../core/text.ts';
import { eraseRecord } from '../log/checkpoints.ts';
import { toLeaf } from '../log/leaf.ts';
import {
  type Moderation,
  type ModerationReason,
  type ModerationTarget,
  moderationReasons,
  type RestoreReason,
  restoreReasons,
  toAppeal,
} from '../moderation/moderation.ts';
import type { RatingTransaction } from '../ratings/schema.ts';
import { type Action, type FoundTarget, findTarget, NotModerated } from './action.ts';

const what = ({ target_kind, target }: ModerationTarget) =>
  target_kind === 'network' ? 'a network' : `the ${target_kind} ${target}`;

export const block: Action = {
  name: 'block',
  summary:
    'refuse claims, ratings and responses from a namespace, an account or a network, and feedback and webhooks from a network',
  targets: ['namespace', 'account', 'network'],
  reasons: ['repeated', 'overload', 'unlawful'],
  example: 'account:github.com/example',
  did: (target) => `blocked ${what(target)} from writing`,
  consequence: ({ target_kind }) =>
    target_kind === 'network'
      ? 'Everything that was written before the block stays, and reading is open as before.'
      : 'Everything that was written before the block stays unless its source withdraws it, and reading is open as before.',
};

export const erase: Action = {
  name: 'erase',
  summary:
    'delete for good what a rating (with its older versions and the responses) or a response says; an erased rating stops counting',
  targets: ['rating', 'response'],
  reasons: ['personal_data', 'unlawful'],
  example: 'response:019aa5f2-0000-7000-8000-000000000000',
  did: ({ target_kind }) => `erased what this ${target_kind} said`,
  consequence: ({ target_kind }) =>
    target_kind === 'rating'
      ? 'The rating does not count any more.'
      : 'The rating that the response answers counts as before.',
  reach: 'older_versions',
  async apply(tx, { target_kind, target, handle, record_indexes, older = [] }, { at, reason }) {
    const [own, ...others] = record_indexes;
    if (own === undefined) throw new NotModerated('there is no record to erase');
    const by = await eraseRecord(tx, { log_index: own, at, reason });
    for (const log_index of others) await eraseRecord(tx, { log_index, at, reason });
    for (const id of [target, ...older.map((version) => version.id)]) {
      if (target_kind === 'rating') await tx.ratings.erase(id, { at, by });
      await tx.ratings.eraseResponse(id, at);
    }
    if (handle !== undefined) await tx.listings.reindex(handle);
  },
  isFinal: true,
};

const did = {
  rating: 'hid the texts of this rating',
  response: 'hid the text of this response',
  listing: 'hid the title, the description, the status message and the receipt keys of this listing',
} as const;

const consequences = {
  rating: 'The rating counts as before; any older version of it is hidden too.',
  response: 'The rating that the response answers counts as before.',
  listing: 'The listing stays in the directory, and its ratings are shown as before.',
} as const;

async function moderateListing(tx: RatingTransaction, { target_kind, target }: FoundTarget): Promise<void> {
  if (target_kind === 'listing') await tx.listings.moderate(target);
}

export const hide: Action = {
  name: 'hide',
  summary: 'hide the texts of a rating (with its older versions), a response or a listing; counts stay',
  targets: ['rating', 'response', 'listing'],
  reasons: [
    'personal_data',
    'unlawful',
    'untrue_statement',
    'threat_or_insult',
    'advertising',
    'impersonation',
    'malicious',
  ],
  reach: 'older_versions',
  example: '019aa5f2-0000-7000-8000-000000000000',
  did: ({ target_kind }) => did[target_kind as keyof typeof did],
  consequence: ({ target_kind }) => consequences[target_kind as keyof typeof did],
  apply: moderateListing,
  undo: moderateListing,
};

const revoke: Action = {
  name: 'revoke',
  summary: 'stop a capability from writing; the claim and its other capabilities stay',
  targets: ['capability'],
  reasons: ['stolen_capability', 'repeated', 'unlawful'],
  example: '3f2a9c0b1d4e5f67',
  did: ({ target }) => `revoked the capability ${target} of this listing`,
  consequence: () => 'The capability cannot write any more. The claim and its other capabilities stay.',
};

export const voidRating: Action = {
  name: 'void',
  summary: 'take a rating out of its group and count it as voided; its texts stay',
  targets: ['rating'],
  reasons: ['no_interaction', 'impersonation', 'unlawful'],
  reach: 'own_record',
  example: '019aa5f2-0000-7000-8000-000000000000',
  did: () => 'voided this rating',
  consequence: () => 'The rating counts in no group.',
  async apply(tx, { target, handle }, { at }) {
    if ((await tx.ratings.setVoided(target, at)) === undefined)
      throw new NotModerated(
        'only a current rating can be voided; this one was amended, withdrawn or erased',
      );
    if (handle !== undefined) await tx.listings.reindex(handle);
  },
  async undo(tx, { target, handle }) {
    await tx.ratings.setVoided(target, undefined);
    if (handle !== undefined) await tx.listings.reindex(handle);
  },
};

export const withdraw: Action = {
  name: 'withdraw',
  summary:
    'answer requests for a listing with 410 and the reason; meanwhile the listing can only withdraw ratings that it made',
  targets: ['listing'],
  reasons: ['unlawful', 'personal_data', 'threat_or_insult', 'advertising', 'impersonation', 'malicious'],
  example: 'com.example/shop',
  did: () => 'withdrew this listing',
  consequence: () =>
    'Ratings that the listing made count as before. While it is withdrawn, its capabilities can only withdraw these ratings.',
  apply: moderateListing,
  async undo(tx, found) {
    await moderateListing(tx, found);
    // Its claim and its ratings may have changed meanwhile.
    await tx.listings.reindex(found.target);
  },
};

export const actions: readonly Action[] = [hide, withdraw, voidRating, revoke, block, erase];

const operator = 'The operator of this directory';

/** `ends` is the log index of what is undone. A blocked network is not published. */
async function append(
  tx: RatingTransaction,
  found: FoundTarget,
  said: { action: string; reason: string; statement: string; at: string; ends?: number },
): Promise<number> {
  const { target_kind, target, handle, record_indexes, reportedTo } = found;
  const record = {
    ...said,
    target_kind,
    ...(target_kind !== 'network' && { target }),
    ...(handle !== undefined && { handle }),
    ...(record_indexes.length > 0 && { record_indexes }),
  };
  const { action, reason, ends, at } = said;
  if (target_kind === 'listing') await tx.listings.relistVersions(target, at);
  const data = { action, target_kind, reason, ...(ends !== undefined && { ends }) };
  const [first, ...others] = reportedTo;
  const log_index = await tx.log.append(
    toLeaf('moderation.applied', record),
    first === undefined ? undefined : { handle: first, at, data },
  );
  await tx.changes.add(
    [...new Set(others)]
      .filter((other) => other !== first)
      .map((other) => ({
        type: 'moderation.applied' as const,
        handle: other,
        at,
        data: { log_index, ...data },
      })),
  );
  return log_index;
}

async function findFor(tx: RatingTransaction, action: Action, target: ModerationTarget) {
  const found = await findTarget(tx, target);
  const { record_indexes, older = [] } = found;
  if (action.reach === 'own_record') return { ...found, record_indexes: record_indexes.slice(0, 1) };
  if (action.reach !== 'older_versions') return found;
  const all = [...record_indexes, ...older.flatMap((version) => version.record_indexes)];
  return { ...found, record_indexes: [...new Set(all)] };
}

/** @throws NotModerated or NotErasable */
export async function applyAction(
  tx: RatingTransaction,
  action: Action,
  { target, reason, at }: { target: ModerationTarget; reason: ModerationReason; at: string },
): Promise<Moderation> {
  const found = await findFor(tx, action, target);
  const active = await tx.moderation.active(target);
  const same = active.find((one) => one.action === action.name);
  if (same) throw new NotModerated(`log entry ${same.log_index} did this already and is still in force`);
  const statement = `${operator} ${action.did(target)} on ${dayText(at)}, because ${moderationReasons[reason]}. ${action.consequence(target)}`;
  const said = { action: action.name, reason, statement, at };
  const log_index = await append(tx, found, said);
  const { handle, record_indexes } = found;
  const moderation = { log_index, ...target, ...said, reason, handle, record_indexes };
  await tx.moderation.add(moderation);
  await action.apply?.(tx, found, { at, reason });
  return moderation;
}

/** @throws NotModerated */
export async function undoAction(
  tx: RatingTransaction,
  action: Action,
  { active, reason, at }: { active: Moderation; reason: RestoreReason; at: string },
): Promise<number> {
  if (action.isFinal) throw new NotModerated(`nothing undoes ${action.name}`);
  const { target_kind, target, log_index } = active;
  const found = await findFor(tx, action, { target_kind, target });
  const statement = `${operator} undid on ${dayText(at)} the action in log entry ${log_index}, because ${restoreReasons[reason]}.`;
  const ended_by = await append(tx, found, { action: action.name, reason, statement, at, ends: log_index });
  await tx.moderation.end(active, { ended_by, ended_at: at, end_reason: reason });
  await action.undo?.(tx, found);
  return ended_by;
}

const statement =
  'These counts cover every hiding, withdrawal, voiding, revocation, block and erasure by the operator, by month, action, kind of target and reason. Each such action is also an entry "moderation.applied" of the log. The counts do not cover deletions in the registry, opt-outs by publishers, or opt-outs that the operator overruled.';

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

export async function readTransparency({ store, config }: Pick<Context, 'store' | 'config'>) {
  const counts = await store.moderation.counts();
  return {
    statement,
    appeal: toAppeal(config),
    actions: Object.fromEntries(
      actions.map(({ name }) => {
        const own = counts.filter(({ action }) => action === name);
        const applied = own.map((one) => one.applied);
        const undone = own.map((one) => one.undone);
        return [name, { applied: sumOf(applied), undone: sumOf(undone) }];
      }),
    ),
    months: counts,
    reasons: moderationReasons,
  };
}
