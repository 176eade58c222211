/** What a log sends to a witness (C2SP tlog-witness, "add-checkpoint"). */
export interface AddCheckpoint {
  /** The size of the tree that the witness cosigned last. */
  readonly oldSize: number;
  /** Proof that the tree of the checkpoint continues the one of the old size. */
  readonly path: readonly Buffer[];
  readonly checkpoint: string;
}

/** The content type of a witness's answer 409, whose body is the size that it cosigned last. */
export const sizeContentType = 'text/x.tlog.size';

const mostHashes = 63;

/** The body of the request. */
export const toAddCheckpoint = ({ oldSize, path, checkpoint }: AddCheckpoint): string =>
  [`old ${oldSize}`, ...path.map((hash) => hash.toString('base64')), '', checkpoint].join('\n');

/** Parses the body of a request; undefined if it is malformed. */
export function readAddCheckpoint(body: string): AddCheckpoint | undefined {
  const end = body.indexOf('\n\n');
  const [first = '', ...hashes] = body.slice(0, Math.max(end, 0)).split('\n');
  const oldSize = /^old (0|[1-9]\d{0,15})$/.exec(first)?.[1];
  const isPath = hashes.length <= mostHashes && hashes.every((line) => /^[A-Za-z0-9+/]{43}=$/.test(line));
  if (oldSize === undefined || !isPath) return undefined;
  const path = hashes.map((line) => Buffer.from(line, 'base64'));
  return { oldSize: Number(oldSize), path, checkpoint: body.slice(end + 2) };
}

/** The size in an answer 409; undefined if it is malformed. */
export function readConflict(body: string): number | undefined {
  const size = /^(0|[1-9]\d{0,15})\n$/.exec(body)?.[1];
  return size === undefined ? undefined : Number(size);
}
