import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

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

/** Runs `dossier` to its end. */
export const runDossier = (args: readonly string[], environment: Record<string, string>): Promise<Ended> =>
  startDossier(args, environment).ended;
