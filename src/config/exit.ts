/** Exit codes of the command line (sysexits). */
export const exitCodes = { usage: 64, upstreamUnavailable: 69, io: 74, configuration: 78 } as const;

/** Ends the command with a code and one line that says what to do. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
