import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Shell {
  readonly folder: string;
  /** Runs a line in the shell, and answers what it prints once it has ended. */
  run(line: string): string;
}

/** Starts a shell that reads lines from a pipe until this process ends. */
function startShell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-shell-'));
  const lines = join(folder, 'lines');
  const answers = join(folder, 'answers');
  execFileSync('mkfifo', [lines, answers]);
  spawn('sh', ['-c', 'exec sh <"$0" >"$1"', lines, answers], { stdio: 'ignore' }).unref();
  // Each waits until the shell has opened it too, in this order.
  const to = openSync(lines, 'w');
  const from = openSync(answers, 'r');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const answer = Buffer.alloc(100);
  return {
    folder,
    run(line) {
      writeSync(to, line);
      const length = readSync(from, answer);
      if (length === 0) throw new Error('the shell has ended');
      return answer.toString('utf8', 0, length);
    },
  };
}

let shell: Shell | undefined;

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Runs a program to its end with these variables only, and answers its exit code and what it printed. A shell
 * starts it, because the memory of a test worker is so large that a process started by the worker itself
 * costs ten milliseconds more.
 */
export function runInShell(
  command: readonly string[],
  {
    cwd = '/',
    env,
    input = '',
  }: { cwd?: string; env: Readonly<Record<string, string | undefined>>; input?: string | Buffer },
): { code: number; output: Buffer } {
  shell ??= startShell();
  const read = join(shell.folder, 'input');
  const printed = join(shell.folder, 'output');
  writeFileSync(read, input);
  const variables = Object.entries(env).map(([name, value = '']) => `${name}=${value}`);
  const words = ['env', '-i', ...variables, ...command].map(quote).join(' ');
  const code = shell.run(
    `(cd ${quote(cwd)} && exec ${words}) <${quote(read)} >${quote(printed)} 2>/dev/null; echo $?\n`,
  );
  return { code: Number(code), output: readFileSync(printed) };
}
