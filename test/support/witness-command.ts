import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDossier } from './command.ts';

const argumentsOf = async (folder: string, name: string, logs: readonly string[]) => {
  const file = join(folder, `${name}.logs`);
  await writeFile(file, [...logs.map((key) => `log ${key}`), 'quorum none', ''].join('\n'));
  const [key, state] = [join(folder, `${name}.key`), join(folder, `${name}.json`)];
  return ['witness', '--name', `${name}.example/w`, '--logs', file, '--key', key, '--state', state];
};

/** A `dossier witness` of the logs with these keys, with its files in a folder; its own keys are Ed25519, then ML-DSA-44. */
export async function startWitness(folder: string, name: string, ...logs: string[]) {
  const witness = startDossier([...(await argumentsOf(folder, name, logs)), '--port', '0'], {});
  const url = await witness.line(/listening on (\S+)/);
  const keys = [await witness.line(/^key (\S+)$/m), await witness.line(/^key \S+\nkey (\S+)$/m)];
  return { witness, url, name, keys };
}
