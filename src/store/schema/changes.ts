import type { Change } from '../../evidence/change.ts';
import type { Json, Time } from './columns.ts';

/** One change of the evidence about a listing. */
export interface ChangeRow {
  seq: number;
  type: Change['type'];
  handle: string;
  at: Time;
  data: Json;
}
