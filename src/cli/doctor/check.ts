import type { Config } from '../../config/config.ts';
import type { Store } from '../../store/store.ts';

/** What a check may look at. */
export interface Subject {
  readonly config: Config;
  /** Undefined where the database cannot be opened, or there is none yet. */
  readonly store: Store | undefined;
  readonly clock: () => Date;
}

/** What a check found: one sentence, and what to do where something is to be done. */
export interface Finding {
  /** `fault`: the service does not work as it should. `warning`: it does, and something is worth a look. */
  readonly state: 'fine' | 'warning' | 'fault';
  readonly text: string;
  readonly next?: string;
}

/** One question of `dossier doctor`. It changes nothing; what it throws is a fault (doctor.ts). */
export interface Check {
  readonly name: string;
  look(subject: Subject): Promise<readonly Finding[]>;
}

export const fine = (text: string): Finding => ({ state: 'fine', text });
export const warning = (text: string, next: string): Finding => ({ state: 'warning', text, next });
export const fault = (text: string, next: string): Finding => ({ state: 'fault', text, next });
