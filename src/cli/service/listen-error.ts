import { ExitError, exitCodes } from '../../config/exit.ts';

/** Why a listener cannot listen, in one line that names the setting to change; other errors unchanged. */
export function toListenError(error: unknown, { setting, port, host }: Listener): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const say = (what: string) => new ExitError(exitCodes.configuration, what);
  if (code === 'EADDRINUSE') return say(`${setting}: ${port} is in use; set another, or 0 to pick one`);
  if (['EADDRNOTAVAIL', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code ?? ''))
    return say(`${setting === 'PORT' ? 'HOST' : setting}: ${host} is not an address of this machine`);
  if (code === 'EACCES') return say(`${setting}: ${port} may not be used by this user`);
  return error;
}

interface Listener {
  readonly setting: 'PORT' | 'METRICS_PORT';
  readonly port: number;
  readonly host: string;
}
