import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ExitError, exitCodes } from '../../config/exit.ts';
import { toCosignerText } from '../../evidence/log/witness/cosigner.ts';
import { openCosigningKeys } from '../../witness/key-file.ts';
import { createWitnessServer } from '../../witness/server.ts';
import { openState } from '../../witness/state.ts';
import { openWitness } from '../../witness/witness.ts';
import { readPolicyFile } from '../verify/policy.ts';

/** Options of `dossier witness`. */
export interface WitnessOptions {
  readonly name: string;
  readonly logs: string;
  readonly key: string;
  readonly state: string;
  readonly host: string;
  readonly port: string;
}

const orExit = <T>(path: string, reading: Promise<T>): Promise<T> =>
  reading.catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new ExitError(exitCodes.io, `${path}: cannot be used: ${why}`);
  });

/** Runs a witness until SIGTERM or SIGINT; prints its address and its keys. Throws ExitError. */
export async function runWitness(options: WitnessOptions): Promise<void> {
  const { name, host, port } = options;
  if (!/^[^\s+]{1,255}$/.test(name))
    throw new ExitError(exitCodes.usage, 'witness: --name has no spaces and no +');
  if (!/^\d{1,5}$/.test(port)) throw new ExitError(exitCodes.usage, 'witness: --port is a number');
  const { logs } = await readPolicyFile(options.logs);
  const keys = await orExit(options.key, openCosigningKeys(options.key, name));
  const state = await orExit(options.state, openState(options.state));
  const witness = openWitness({ logs, keys, state, clock: () => new Date() });
  const server = createWitnessServer(witness, (error) => process.stderr.write(`witness: ${String(error)}\n`));
  const stopped = Promise.race(['SIGTERM', 'SIGINT'].map((signal) => once(process, signal)));
  server.listen(Number(port), host);
  await orExit(`${host}:${port}`, once(server, 'listening'));
  for (const key of keys) process.stdout.write(`key ${toCosignerText(key)}\n`);
  const { port: listening } = server.address() as AddressInfo;
  process.stdout.write(
    `witness of ${logs.length} ${logs.length === 1 ? 'log' : 'logs'}, listening on http://${host}:${listening}\n`,
  );
  await stopped;
  server.close();
  server.closeAllConnections();
}
