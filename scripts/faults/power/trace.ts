import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** What a system call did to a file. */
export type Change = { readonly path: string } & (
  | { readonly kind: 'create' | 'sync' | 'unlink' }
  | { readonly kind: 'write'; readonly offset: number | 'end'; readonly bytes: Buffer }
  | { readonly kind: 'resize'; readonly size: number }
  | { readonly kind: 'rename'; readonly to: string }
);

/** A change and when it was made, in ms since 1970. */
export interface Call {
  readonly at_ms: number;
  readonly change: Change;
}

/**
 * How strace is to print a process for `readTrace`: all threads, times, paths of descriptors, strings whole
 * and in hexadecimal.
 */
export const traceArgs = [
  '-f',
  '-ttt',
  '-y',
  '-xx',
  '-s',
  '10000000',
  '-e',
  'trace=openat,pwrite64,write,ftruncate,fsync,fdatasync,rename,unlink',
] as const;

const toBytes = (hex = '') => Buffer.from(hex.replaceAll('\\x', ''), 'hex');
const toPath = (hex = '') => toBytes(hex).toString();

/** By system call: its arguments as strace prints them, and what it does. */
const calls: Readonly<Record<string, readonly [RegExp, (args: readonly string[]) => Change[]]>> = {
  pwrite64: [
    /^\d+<(.*?)>, "(.*?)", \d+, (\d+)/,
    ([path, data, offset]) => [
      { kind: 'write', path: toPath(path), bytes: toBytes(data), offset: Number(offset) },
    ],
  ],
  write: [
    /^\d+<(.*?)>, "(.*?)"/,
    ([path, data]) => [{ kind: 'write', path: toPath(path), bytes: toBytes(data), offset: 'end' }],
  ],
  ftruncate: [
    /^\d+<(.*?)>, (\d+)/,
    ([path, size]) => [{ kind: 'resize', path: toPath(path), size: Number(size) }],
  ],
  rename: [/^"(.*?)", "(.*?)"/, ([path, to]) => [{ kind: 'rename', path: toPath(path), to: toPath(to) }]],
  unlink: [/^"(.*?)"/, ([path]) => [{ kind: 'unlink', path: toPath(path) }]],
  openat: [
    /, "(.*?)", (\S*O_CREAT\S*)/,
    ([name, flags]) => {
      const path = toPath(name);
      return [
        { kind: 'create', path },
        ...(flags?.includes('O_TRUNC') ? [{ kind: 'resize', path, size: 0 } as const] : []),
      ];
    },
  ],
};
const syncCall = /^f(data)?sync$/;

/**
 * A sync counts when it has returned; the other calls when they begin, because their effect may be there from
 * then on.
 */
function createReader(): (line: string) => Call[] {
  const syncing = new Map<string, string>();
  return (line) => {
    const [, thread = '', time, resumed, name = '', rest = ''] =
      /^(\d+) +(\d+\.\d+) (<\.\.\. )?(\w+)(?:\(| resumed>)(.*)$/.exec(line) ?? [];
    const at_ms = Number(time) * 1000;
    if (syncCall.test(name)) {
      const path = resumed ? syncing.get(thread) : toPath(/^\d+<(.*?)>/.exec(rest)?.[1]);
      if (rest.includes('<unfinished')) syncing.set(thread, path ?? '');
      return path && / = 0$/.test(rest) ? [{ at_ms, change: { kind: 'sync', path } }] : [];
    }
    const [shape, toChanges] = calls[name] ?? [];
    const args = resumed || / = -1 /.test(rest) ? undefined : shape?.exec(rest)?.slice(1);
    return args && toChanges ? toChanges(args).map((change) => ({ at_ms, change })) : [];
  };
}

/** The changes of files whose paths begin with a prefix, in their order, from what strace wrote to a file. */
export async function readTrace(trace: string, prefix: string): Promise<Call[]> {
  const read = createReader();
  const found: Call[] = [];
  for await (const line of createInterface({ input: createReadStream(trace) }))
    found.push(...read(line).filter(({ change }) => change.path.startsWith(prefix)));
  return found;
}
