import type { Kysely } from 'kysely';
import type { ImportSchema } from '../imports/schema.ts';
import type { ObservationSchema } from '../observations/schema.ts';
import type { RatingSchema } from '../ratings/schema.ts';

export interface DocumentSchema extends ImportSchema, ObservationSchema, RatingSchema {}
export type Db = Kysely<DocumentSchema>;
