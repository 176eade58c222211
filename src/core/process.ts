/** sysexits */
export const exitCodes = { usage: 64, data: 65, upstreamUnavailable: 69, io: 74, configuration: 78 } as const;

export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

const errorOf =
  (name: keyof typeof exitCodes) =>
  (message: string): ExitError =>
    new ExitError(exitCodes[name], message);
export const usageError = errorOf('usage');
export const dataError = errorOf('data');
export const ioError = errorOf('io');
export const settingsError = errorOf('configuration');

export const textOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** After at most 250 ms, even if a connection or a DNS query is open. */
export const endProcess = (): void => void setTimeout(() => process.exit(), 250).unref();

/**
 * For `Worker` and the like. `path` is relative to `from` and has no ending: the package has JavaScript,
 * because Node.js strips no types under node_modules.
 */
export const toModuleUrl = (path: string, from: string): URL =>
  new URL(`${path}${from.endsWith('.ts') ? '.ts' : '.js'}`, from);
