import { runDossier } from '../../test/support/command.ts';
import { findDuplicates, findLost } from '../soak/audit.ts';
import { openCluster } from '../soak/cluster.ts';
import { type Forge, openForge } from './claims.ts';
import type { Fault, Session } from './fault.ts';
import { countOf, openSession } from './session.ts';
import { openSqlite, openTemporaryFolder, type Template } from './sqlite-place.ts';
import { startWriting } from './writing.ts';

/** What one fault came to; `trouble` is empty where everything held. */
export interface Row {
  readonly name: string;
  readonly rounds: number;
  readonly acknowledged: number;
  /** How many of them are claims. */
  readonly claims: number;
  readonly lost: number;
  readonly doubled: number;
  readonly logIsWhole: boolean;
  readonly ready_ms: readonly number[];
  /** What callers saw meanwhile, by kind. */
  readonly seen: readonly string[];
  readonly trouble: readonly string[];
}

/**
 * Injects the fault while claimed listings write and others are claimed; the message of what did not hold, if
 * anything.
 */
async function injectUnderWrites(fault: Fault, session: Session, { git }: Forge): Promise<string[]> {
  const stopping = new AbortController();
  for (const node of session.cluster.nodes) await node.start();
  const writing = startWriting(session, git, stopping.signal);
  const trouble = await fault.inject(session).then(
    () => [],
    (error: Error) => [error.message],
  );
  stopping.abort();
  // Writers end after their next acknowledgement, for which the node must be up again.
  if (trouble.length > 0) await session.node.kill().then(() => session.node.start().catch(() => undefined));
  const ended = await Promise.allSettled(writing);
  const reasons = ended.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  return [...trouble, ...new Set(reasons)];
}

/** Answers of HTTP that a fault does not explain, and the one that it must show, if missing. */
function judgeCodes({ code, destroys }: Fault, kinds: readonly string[]): string[] {
  const explained = [...(code ? [code] : []), ...(destroys ? ['404 '] : [])];
  const wrong = kinds.filter((kind) => /^\d/.test(kind) && !explained.some((one) => kind.startsWith(one)));
  const isMissing = code !== undefined && !kinds.some((kind) => kind.startsWith(code));
  return [...wrong.map((kind) => `answered ${kind}`), ...(isMissing ? [`nobody saw ${code}`] : [])];
}

async function judge(fault: Fault, session: Session, trouble: string[]): Promise<Omit<Row, 'ready_ms'>> {
  const { cluster, ledger, file, rounds } = session;
  const lost = await findLost(cluster, ledger);
  const doubled = await findDuplicates(cluster);
  const audit = await runDossier(['audit', file || cluster.databaseUrl], { REGISTRY_URL: 'off' });
  if (audit.code !== 0) trouble.push(`dossier audit: ${audit.stdout}${audit.stderr}`.slice(0, 300));
  if (!fault.destroys && lost.length > 0) trouble.push(`lost: ${lost.slice(0, 3).join(', ')}`);
  if (doubled.length > 0) trouble.push(`doubled: ${doubled.slice(0, 3).join(', ')}`);
  const kinds = [...ledger.errors.counts.keys()];
  const seen = [...new Set(kinds.map((kind) => kind.replace(/ from .*/, '')))];
  return {
    name: fault.name,
    rounds,
    acknowledged: countOf(ledger),
    claims: ledger.claims.length,
    lost: lost.length,
    doubled: doubled.length,
    logIsWhole: audit.code === 0,
    seen,
    trouble: [...trouble, ...judgeCodes(fault, kinds)],
  };
}

/** Runs one fault and compares what was acknowledged with what is there. */
export async function runFault(fault: Fault, rounds: number, template: Template): Promise<Row> {
  const { engine } = fault;
  const forge = await openForge();
  const environment = { ...forge.environment, ...fault.environment };
  const { folder, close } = (fault.openFolder ?? openTemporaryFolder)();
  const sources = template.capabilities.length;
  const cluster =
    engine === 'sqlite'
      ? await openSqlite(template, folder, environment)
      : { ...(await openCluster({ size: 2, sources, environment })), file: '' };
  try {
    const ready_ms: number[] = [];
    const session = openSession({ cluster, file: cluster.file, ready_ms }, rounds);
    const trouble = await injectUnderWrites(fault, session, forge);
    return { ...(await judge(fault, session, trouble)), ready_ms };
  } finally {
    await cluster.close();
    await forge.git.close();
    close();
  }
}
