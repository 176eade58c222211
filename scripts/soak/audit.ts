import { leafHash, nodeHash } from '../../src/log/merkle.ts';
import { readCheckpoint } from '../../src/log/notes.ts';
import { savedProof, verifyConsistency, verifySavedProof } from '../../src/log/verify.ts';
import type { Cluster, ClusterNode } from './cluster.ts';
import { createTally, send, toTool } from './requests.ts';
import type { Ledger } from './writers.ts';

const mostProofs = 500;

/** Checkpoints seen while the nodes ran: by size, each text that any node signed. */
export type Seen = Map<number, Set<string>>;

async function text(node: ClusterNode, path: string): Promise<string> {
  const answer = await send(node, { path }, createTally());
  if (answer === undefined) throw new Error(`${node.url}${path} does not answer`);
  return answer;
}

/** Records the checkpoint that a node publishes now, if it answers. */
export async function seeCheckpoint(node: ClusterNode, seen: Seen): Promise<void> {
  const checkpoint = await send(node, { path: '/log/checkpoint' }, createTally());
  if (checkpoint === undefined) return;
  const { size = 0 } = readCheckpoint(checkpoint) ?? {};
  seen.set(size, (seen.get(size) ?? new Set()).add(checkpoint));
}

const idsOf = (rows: readonly Record<string, unknown>[]) => new Set(rows.map(({ id }) => String(id)));

/** Acknowledged writes that are not in the database, each named. */
export async function findLost({ query }: Pick<Cluster, 'query'>, ledger: Ledger): Promise<string[]> {
  const rows = await query('select id, log_index, withdrawn_at from rating');
  const places = new Map(rows.map(({ id, log_index }) => [String(id), Number(log_index)]));
  const withdrawn = idsOf(rows.filter(({ withdrawn_at }) => withdrawn_at !== null));
  const feedback = idsOf(await query('select id from feedback'));
  const claimed = await query(
    `select claim.handle as id from claim join capability on capability.handle = claim.handle
     where claim.state = 'claimed' and capability.state = 'active'`,
  );
  const claims = idsOf(claimed);
  return [
    ...ledger.claims.filter(({ id }) => !claims.has(id)).map(({ id }) => `claim of ${id}`),
    ...ledger.ratings
      .filter(({ rating_id, log_index }) => places.get(rating_id) !== log_index)
      .map(({ rating_id }) => `rating ${rating_id}`),
    ...ledger.withdrawn.filter(({ id }) => !withdrawn.has(id)).map(({ id }) => `withdrawal of ${id}`),
    ...ledger.feedback.filter(({ id }) => !feedback.has(id)).map(({ id }) => `feedback ${id}`),
  ];
}

/**
 * Interactions of a source with a subject that were recorded more than once, amendments aside, and claims
 * logged twice.
 */
export async function findDuplicates({ query }: Pick<Cluster, 'query'>): Promise<string[]> {
  const rows = await query(
    `select source_handle, interaction_id, count(*) as times from rating where supersedes is null
     group by source_handle, subject_handle, interaction_id having count(*) > 1`,
  );
  const claims = await query(
    `select handle, count(*) as times from claim_event where type = 'activated'
     group by handle having count(*) > 1`,
  );
  return [
    ...rows.map(({ source_handle, interaction_id, times }) => `${source_handle} ${interaction_id}: ${times}`),
    ...claims.map(({ handle, times }) => `claim of ${handle}: ${times}`),
  ];
}

/** Root of a tree recomputed from its leaves, pair by pair (RFC 6962 section 2.1). */
function rootOf(hashes: readonly Buffer[]): Buffer {
  if (hashes.length <= 1) return hashes[0] ?? Buffer.alloc(0);
  const above: Buffer[] = [];
  for (let at = 0; at < hashes.length; at += 2) {
    const left = hashes[at];
    const right = hashes[at + 1];
    if (left) above.push(right ? nodeHash(left, right) : left);
  }
  return rootOf(above);
}

/**
 * What is wrong with the log: split or rewritten checkpoints, a root that does not follow from the leaves, a
 * failing proof.
 */
export async function findLogTrouble(
  { nodes, query }: Cluster,
  ledger: Ledger,
  seen: Seen,
): Promise<{ readonly checked: number; readonly trouble: string[] }> {
  const [node] = nodes;
  if (!node) throw new Error('no node');
  for (const each of nodes) await seeCheckpoint(each, seen);
  const trouble = [...seen]
    .filter(([, texts]) => texts.size > 1)
    .map(([size]) => `two trees of ${size} entries`);
  const key = (await text(node, '/log/key')).trim();
  const sizes = [...seen.keys()].sort((a, b) => a - b);
  for (const [at, size] of sizes.slice(1).entries()) {
    const from = sizes[at] ?? 0;
    const proof = await text(node, `/log/consistency/${from}/${size}`);
    const [older = ''] = [...(seen.get(from) ?? [])];
    const [newer = ''] = [...(seen.get(size) ?? [])];
    const failed = verifyConsistency(older, newer, { proof, key }).filter(({ holds }) => !holds);
    trouble.push(...failed.map(({ message }) => message));
  }
  const heads = await query('select id, size from log_head');
  if (heads.length !== 1) trouble.push(`${heads.length} logs`);
  const leaves = await query('select log_index, leaf from log_leaf order by log_index');
  if (leaves.some(({ log_index }, at) => Number(log_index) !== at)) trouble.push('the log has a gap');
  const [newest = ''] = seen.get(sizes.at(-1) ?? 0) ?? [];
  const root = rootOf(leaves.slice(0, sizes.at(-1)).map(({ leaf }) => leafHash(String(leaf))));
  if (!readCheckpoint(newest)?.root.equals(root))
    trouble.push('the leaves do not make the newest checkpoint');
  const proven = [...ledger.ratings].sort(() => Math.random() - 0.5).slice(0, mostProofs);
  for (const { log_index, rating_id } of proven) {
    const answer = await send(node, toTool('get_proof', { log_index }), createTally());
    const saved = savedProof.safeParse(JSON.parse(answer ?? '{}'));
    const holds = saved.success && verifySavedProof(saved.data, key).every((check) => check.holds);
    const isOurs = saved.success && saved.data.record?.includes(rating_id);
    if (!holds || !isOurs) trouble.push(`the proof of entry ${log_index} does not hold`);
  }
  return { checked: sizes.length, trouble };
}
