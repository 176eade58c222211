import { once } from 'node:events';
import { startRecheck } from '../claim/recheck.ts';
import type { Config } from '../config.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { startForgetting } from '../limits/forget.ts';
import { startImports } from '../registry/schedule.ts';
import { listen, openContext, type Running } from '../server.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;

function toListenError(error: unknown, { HOST, PORT }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new ExitError(exitCodes.configuration, `PORT: ${PORT} is in use; set another, or 0 to pick one`);
  if (['EADDRNOTAVAIL', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code ?? ''))
    return new ExitError(exitCodes.configuration, `HOST: ${HOST} is not an address of this machine`);
  if (code === 'EACCES')
    return new ExitError(exitCodes.configuration, `PORT: ${PORT} may not be used by this user`);
  return error;
}

/** Where it listens, and the public address where that is another. */
const toAddresses = ({ url, context: { config } }: Running) =>
  config.PUBLIC_URL === url ? url : `${url} as ${config.PUBLIC_URL}`;

/** Runs the service until SIGTERM or SIGINT: answers first, then imports in the background, then drains. */
export async function runServe(config: Config): Promise<void> {
  const context = await openContext(config);
  const stopping = new AbortController();
  const told = Promise.race(signals.map((signal) => once(process, signal)));
  let background: readonly (() => Promise<void>)[] = [];
  try {
    const running = await listen(context).catch((error: unknown) => {
      throw toListenError(error, config);
    });
    process.stdout.write(`listening on ${toAddresses(running)}\n`);
    const imports = startImports(running.context, stopping.signal);
    const forgetting = startForgetting(running.context, stopping.signal);
    background = [startRecheck(running.context), () => imports, () => forgetting];
    await told;
    context.log.info('stopping');
    stopping.abort();
    await running.stop();
  } finally {
    stopping.abort();
    await Promise.all(background.map((end) => end()));
    await context.store.close();
  }
}
