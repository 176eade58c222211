/** Exit codes of the command line (sysexits). */
export const exitCodes = { usage: 64, data: 65, upstreamUnavailable: 69, io: 74, configuration: 78 } as const;

/** Ends the command with a code and one line that says what to do. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Ends a command that was not called as it should be. */
export const usageError = (message: string): ExitError => new ExitError(exitCodes.usage, message);

/** What something that was thrown says. */
export const textOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/**
 * Ends the process with its exit code, whatever still has a socket: a connection to a slow host, a TLS
 * handshake, a name being resolved.
 */
export const endProcess = (): void => void setTimeout(() => process.exit(), 250).unref();

/**
 * The address of a module beside the one that asks, for what takes an address and no import: TypeScript where
 * this runs from source, JavaScript where it runs from the package, since Node.js strips no types under
 * node_modules.
 */
export const toModuleUrl = (path: string, from: string): URL =>
  new URL(`${path}${from.endsWith('.ts') ? '.ts' : '.js'}`, from);
