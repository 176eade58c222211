import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { Order } from './warm-command.ts';

/** What a command left behind. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A started `dossier` command: its output so far, and ways to wait for it. */
export interface Started {
  readonly child: ChildProcess;
  /** Resolves with the first match in stdout; rejects when the command ends without one. */
  line(pattern: RegExp): Promise<string>;
  ended: Promise<Ended>;
}

/** The program of the installed package, if `npm run lab try:package` names it. */
export const installedProgram: string | undefined = process.env.DOSSIER_INSTALLED;

/** What tests start as `dossier`, wherever they start it. */
export const program: string = resolve(installedProgram ?? process.env.DOSSIER_BUNDLE ?? 'src/main.js');

/**
 * Starts `dossier` as a user would, from the project's root, with only these settings; it checks no listing
 * unless they say so.
 */
export const startDossier = (args: readonly string[], environment: Record<string, string>): Started =>
  startCommand(['node', program, ...args], environment);

/** Starts a command that itself starts `dossier`, with the same environment. */
export function startCommand(
  [command = '', ...args]: readonly string[],
  environment: Record<string, string>,
): Started {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, OBSERVE: 'off', ...environment };
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(stdout);
        if (found) resolve(found[1] ?? found[0]);
      };
      look();
      child.stdout?.on('data', look);
      void ended.then(({ code }) =>
        reject(new Error(`ended with ${code} before ${pattern}\n${stdout}\n${stderr}`)),
      );
    });
  return { child, line, ended };
}

/** A process that has loaded the program, and runs one command after another. */
interface WarmProcess {
  run(order: Omit<Order, 'mark'>): Promise<Ended>;
}

/** Those that run no command now. */
const warm: WarmProcess[] = [];

function startWarm(): WarmProcess {
  const folder = join(dirname(program), 'cli');
  const commandLine = ['command-line.js', 'command-line.ts']
    .map((name) => join(folder, name))
    .find(existsSync);
  const child = fork(new URL('./warm-command.ts', import.meta.url), [program, `${commandLine}`], {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  });
  const outputs = [child.stdout as Socket, child.stderr as Socket];
  const mark = '\0the command has ended\0';
  let texts = ['', ''];
  let code: number | null = null;
  let end: (isOver: boolean) => void = () => undefined;
  const look = () => {
    if (code !== null && texts.every((text) => text.endsWith(mark))) end(false);
  };
  for (const [at, output] of outputs.entries())
    output.setEncoding('utf8').on('data', (text: string) => {
      texts[at] += text;
      look();
    });
  child
    .on('message', (answer) => {
      code = Number(answer);
      look();
    })
    .once('close', (exitCode) => {
      code = exitCode;
      end(true);
    });
  for (const one of [child, child.channel, ...outputs]) one?.unref();
  const process: WarmProcess = {
    async run(order) {
      [texts, code] = [['', ''], null];
      child.send({ ...order, mark });
      const isOver = await new Promise<boolean>((done) => {
        end = done;
      });
      const [stdout = '', stderr = ''] = texts.map((text) => text.replace(mark, ''));
      if (!isOver) warm.push(process);
      return { code, stdout, stderr };
    },
  };
  return process;
}

/**
 * Runs `dossier` to its end, in a process that has run others before: a start takes ten times as long as a
 * command.
 */
export function runDossier(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd: string = process.cwd(),
): Promise<Ended> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, OBSERVE: 'off', ...environment };
  return (warm.pop() ?? startWarm()).run({ args, env, cwd });
}
