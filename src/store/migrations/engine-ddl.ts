import type { RawBuilder } from 'kysely';
import type { Db } from '../engine.ts';

/** What migrations need to know about the engine that they run on. */
export interface EngineDdl {
  /** Column type of integers up to 2^53. */
  readonly int8: RawBuilder<unknown>;
  /** Column type of text that sorts by its bytes. */
  readonly text: RawBuilder<unknown>;
  /** Creates the tables that only this engine has: its search index and what comes with it. */
  createEngineTables(db: Db): Promise<void>;
}
