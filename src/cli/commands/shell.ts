import type { Config } from '../../config/config.ts';

/** What a command has of the shell that it was started in. */
export interface Shell {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads the settings, and warns of names that look misspelt. Throws ExitError. */
  config(): Config;
}
