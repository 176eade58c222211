import { z } from 'zod';
import { readObject } from '../core/json.ts';
import { type Envelope, openEnvelope } from './envelope.ts';
import { canonicalDigest, isCommittedTo } from './leaf.ts';
import { isConsistent, isIncluded, leafHash } from './merkle.ts';
import { type Checkpoint, openCheckpoint, readHashes, readProofText, readVerifier } from './notes.ts';

export const savedProof = z.object({
  leaf: z.string(),
  record: z.string().optional(),
  salt: z.string().optional(),
  proof: z.string(),
  key: z.string(),
});
export type SavedProof = z.infer<typeof savedProof>;

const entries = (size: number) => (size === 1 ? '1 entry' : `${size} entries`);

export interface Check {
  /** Undefined if there was nothing to check against. */
  readonly holds: boolean | undefined;
  readonly message: string;
}

const toCheck = (holds: boolean, yes: string, no: string): Check => ({ holds, message: holds ? yes : no });

function checkErasure(leaf: string, erasure: SavedProof): Check {
  const { leaf: erased, erased_at } = readObject(erasure.record ?? '') ?? {};
  return toCheck(
    readObject(erasure.leaf)?.t === 'record.erased' && erased === leaf,
    `the record was erased on ${String(erased_at)}, as an entry of the log says`,
    'the entry given as its erasure does not say that the record of this leaf was erased',
  );
}

function checkRecord({ leaf, record, salt }: SavedProof, erasure?: SavedProof): Check {
  if (erasure && record === undefined) return checkErasure(leaf, erasure);
  if (record === undefined || salt === undefined)
    return { holds: undefined, message: 'no record: this proves that an entry exists, not what it says' };
  const holds = isCommittedTo(leaf, { record, salt });
  return toCheck(holds, 'the leaf commits to this record', 'the leaf does not commit to this record');
}

export type ExpectedRecord = Readonly<Partial<Record<'handle' | 'source' | 'id', string>>>;

function checkName(record: string, wanted: string, members: readonly string[]): Check {
  const named = JSON.parse(record) as Record<string, unknown>;
  const holds = members.some((member) => named[member] === wanted);
  const as = members.includes('source_handle') ? ' as its source' : '';
  return { holds, message: `the record ${holds ? 'names' : 'does not name'} ${wanted}${as}` };
}

const expectedMembers = {
  handle: ['subject_handle', 'handle'],
  source: ['source_handle'],
  id: ['id', 'rating_id'],
} as const;

/** Throws if the record is not JSON. */
export function checkExpected({ record }: SavedProof, expected: ExpectedRecord): Check[] {
  if (record === undefined) return [];
  return Object.entries(expectedMembers).flatMap(([name, members]) => {
    const wanted = expected[name as keyof ExpectedRecord];
    return wanted === undefined ? [] : [checkName(record, wanted, members)];
  });
}

/**
 * `key` is a verifier that the caller got elsewhere. `erasure` is the saved proof of the entry that says that
 * the record was erased.
 */
export function verifySavedProof(saved: SavedProof, key: string = saved.key, erasure?: SavedProof): Check[] {
  return [...verifyOne(saved, key, erasure), ...(erasure ? verifyOne(erasure, key) : [])];
}

export function checkSigned(text: string, key: string): { checkpoint?: Checkpoint; check: Check } {
  const verifier = readVerifier(key);
  const checkpoint = verifier && openCheckpoint(text, verifier);
  if (!checkpoint) return { check: { holds: false, message: 'the checkpoint is not signed by this key' } };
  const { origin, size } = checkpoint;
  const message = `the checkpoint of ${origin} at ${entries(size)} is signed by this key`;
  return { checkpoint, check: { holds: true, message } };
}

function verifyOne(saved: SavedProof, key: string, erasure?: SavedProof): Check[] {
  const proof = readProofText(saved.proof);
  const { checkpoint, check } = checkSigned(proof?.checkpoint ?? '', key);
  const checks = [checkRecord(saved, erasure), check];
  if (!proof || !checkpoint) return checks;
  const holds = isIncluded(leafHash(saved.leaf), { index: proof.index, ...checkpoint }, proof.path);
  const yes = `the leaf is entry ${proof.index} under that checkpoint`;
  return [...checks, toCheck(holds, yes, 'the leaf is not under that checkpoint')];
}

/** The predicate type begins with the URL of the service that makes the statement. */
export const statementType = 'https://in-toto.io/Statement/v1';
export const predicateName = '/about#evidence-v1';
const statementForm = z.object({
  _type: z.literal(statementType),
  predicateType: z.url().endsWith(predicateName),
  subject: z.tuple([z.object({ name: z.string(), digest: z.object({ sha256: z.string() }) })]),
  predicate: z.object({ as_of: z.string() }),
});

/** `as_of` is the day that the statement names. */
export function verifyStatement(
  envelope: Envelope,
  key: string,
  { handle, document }: { readonly handle?: string | undefined; readonly document?: object | undefined },
): { readonly checks: Check[]; readonly as_of?: string } {
  const verifier = readVerifier(key);
  const text = verifier && openEnvelope(envelope, verifier);
  const { data } = statementForm.safeParse(readObject(text ?? ''));
  if (!data) {
    const message =
      text === undefined ? 'the statement is not signed by this key' : 'the statement is of a different type';
    return { checks: [{ holds: false, message }] };
  }
  const [{ name, digest }] = data.subject;
  const checks: Check[] = [{ holds: true, message: `the statement about ${name} is signed by this key` }];
  const add = (holds: boolean, what: string, yes: string) =>
    checks.push(toCheck(holds, `${what} is ${yes}`, `${what} is not ${yes}`));
  if (handle !== undefined) add(name === handle, 'the statement', `about ${handle}`);
  const stated = document && canonicalDigest({ ...document, being_checked: undefined });
  if (stated) add(stated === digest.sha256, 'the document', 'the one that the statement is about');
  return { checks, as_of: data.predicate.as_of };
}

/** The proof has one base64 hash a line. */
export function verifyConsistency(older: string, newer: string, saved: { proof: string; key: string }) {
  const verifier = readVerifier(saved.key);
  const [from, to] = [older, newer].map((text) => (verifier ? openCheckpoint(text, verifier) : undefined));
  if (!from || !to) return [{ holds: false, message: 'a checkpoint is not signed by this key' }];
  const path = readHashes(saved.proof.split('\n').filter(Boolean));
  if (!path)
    return [{ holds: false, message: 'the consistency proof is no list of hashes in base64, one per line' }];
  const holds = isConsistent(from, to, path);
  const trees = `${entries(from.size)}, ${entries(to.size)}`;
  const yes = `the newer tree continues the older one (${trees})`;
  const no = `the newer tree does not continue the older one (${trees}): history was rewritten`;
  return [
    { holds: true, message: `both checkpoints of ${to.origin} are signed by this key` },
    toCheck(holds, yes, no),
  ];
}
