import type { Config } from '../../config/config.ts';

/** What a command has of the shell that it was started in. */
export interface Shell {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads the settings, and warns of names that look misspelt. Throws ExitError. */
  config(): Config;
  /** A file as its user names it, or an address, which stays as it is. */
  toSource<From extends string | undefined>(from: From): From | string;
  /** A file as its user names it; `-` stays as it is. */
  toPath(file: string): string;
}
