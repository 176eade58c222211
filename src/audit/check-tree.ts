import { logOfOrigin } from '../log/checkpoints.ts';
import { createGrowingTree, type TreeHead, type TreeNode } from '../log/merkle.ts';
import { type NoteVerifier, openCheckpoint, readCheckpoint } from '../log/notes.ts';
import type { AuditedLog, EvidenceReader } from './evidence-reader.ts';
import { type AuditFault, logFault } from './fault.ts';

/** The tree must have had this root. */
export interface KnownRoot extends TreeHead {
  readonly where: string;
  readonly log: number;
}

/** Empty if the service states no loss. */
function statedLoss({ closedWith }: AuditedLog, found: number): string {
  const stated = closedWith === undefined ? undefined : readCheckpoint(closedWith);
  return stated && stated.size > found
    ? `. The service states this loss: /log has, as closed_with of this log, a checkpoint of ${stated.size} entries`
    : '';
}

const nameOfLog = ({ id }: AuditedLog) => (id === 1 ? 'log' : `log ${id}`);

async function findNodeFault(reader: EvidenceReader, log: AuditedLog, nodes: readonly TreeNode[]) {
  const [first] = nodes;
  if (!first) return [];
  const { level, position } = first;
  const stored = await reader.nodes(log, level, { from: position, limit: nodes.length });
  const wrong = nodes.find(({ hash }, at) => !stored[at]?.equals(hash));
  if (!wrong) return [];
  const message = 'the stored hash is not the one that follows from the leaves';
  return [logFault(`${nameOfLog(log)}, tree node ${wrong.position} of level ${level}`, message)];
}

export function createTreeCheck(reader: EvidenceReader, log: AuditedLog, roots: readonly KnownRoot[]) {
  const tree = createGrowingTree();
  const open = new Set(roots.filter((known) => known.log === log.id));
  const compare = () => {
    const wrong: AuditFault[] = [];
    for (const known of open) {
      if (known.size !== tree.size()) continue;
      open.delete(known);
      const message = `the first ${known.size} entries of the ${nameOfLog(log)} have a different root: history was rewritten`;
      if (!tree.root().equals(known.root)) wrong.push(logFault(known.where, message));
    }
    return wrong;
  };
  const early = compare();
  return {
    /**
     * Leaves must come in order. Returns a fault for each known root, and for the first node of each level,
     * that differs.
     */
    async add(leaves: readonly string[]): Promise<AuditFault[]> {
      const faults = early.splice(0);
      const levels = new Map<number, TreeNode[]>();
      for (const leaf of leaves) {
        for (const node of tree.add(leaf))
          if (node.level % reader.levelStep === 0)
            levels.set(node.level, [...(levels.get(node.level) ?? []), node]);
        faults.push(...compare());
      }
      for (const nodes of levels.values()) faults.push(...(await findNodeFault(reader, log, nodes)));
      return faults;
    },
    /** After the last leaf: the faults that `add` did not return. */
    finish: (): AuditFault[] => [
      ...early,
      ...[...open].map(({ where, size }) =>
        logFault(
          where,
          `it covers ${size} entries, but the ${nameOfLog(log)} has only ${tree.size()}: entries were lost${statedLoss(log, tree.size())}`,
        ),
      ),
    ],
  };
}

/** A fault if it is unreadable or not signed by the key. Without a key, no signature is checked. */
export function readKnownRoot(
  text: string,
  { where, key }: { readonly where: string; readonly key?: NoteVerifier | undefined },
): KnownRoot | AuditFault {
  const checkpoint = readCheckpoint(text);
  if (!checkpoint) return logFault(where, 'it is not a checkpoint (C2SP tlog-checkpoint)');
  if (key && !openCheckpoint(text, key))
    return logFault(where, `it is not signed by the key of the log, ${key.name}`);
  return { where, log: logOfOrigin(checkpoint.origin), size: checkpoint.size, root: checkpoint.root };
}
