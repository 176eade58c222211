import { once } from 'node:events';
import { enableCompileCache } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** A command to run, as the process that it would be alone: its arguments, whole environment and folder. */
export interface Order {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** What this process writes to stdout and stderr after the command. */
  readonly mark: string;
}

const [node = '', , program = '', commandLine = ''] = process.argv;
enableCompileCache();
const { runCommandLine } = (await import(pathToFileURL(commandLine).href)) as {
  runCommandLine: () => Promise<void>;
};
/** What keeps this process from ending, as it would keep one that was started for the command. */
const countOpen = (): number => process.getActiveResourcesInfo().length;

async function run({ args, env, cwd, mark }: Order): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [node, program, ...args];
  process.exitCode = undefined;
  const open = countOpen();
  await runCommandLine();
  while (countOpen() > open) await wait(1, undefined, { ref: false });
  process.emit('exit', Number(process.exitCode ?? 0));
  for (const event of ['exit', 'SIGINT', 'SIGTERM']) process.removeAllListeners(event);
  process.stdout.removeAllListeners('error').write(mark);
  process.stderr.write(mark);
  process.send?.(Number(process.exitCode ?? 0));
}

process.once('disconnect', () => process.exit());
for (;;) {
  const [order] = (await once(process, 'message')) as [Order];
  await run(order);
}
