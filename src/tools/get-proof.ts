import { z } from 'zod';
import { proveEntry } from '../audit/entry-proof.ts';
import { wrongField } from '../core/problem.ts';
import { requireRating } from '../ratings/record.ts';
import { defineTool, readsOnly } from './tool.ts';

export const getProof = defineTool({
  name: 'get_proof',
  title: 'Get the proof of a log entry',
  description:
    'Returns an inclusion proof (C2SP tlog-proof) that an entry is in the append-only transparency log, to keep and check offline. An entry need not be right.',
  asked:
    'prove it, inclusion proof for an entry, cryptographic evidence or proof that something, a rating or change was logged, recorded, unaltered; merkle tree, transparency log, audit; an entry was not altered; receipt, signed, inclusion, tamper-evident',
  effects: readsOnly,
  input: z.strictObject({
    log_index: z.int().min(0).optional(),
    rating_id: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional()
      .describe('Instead of log_index'),
  }),
  output: z.object({
    log_index: z.int(),
    log: z.string(),
    leaf: z.string(),
    /** Absent, with the salt, if the record was erased or is withheld. */
    record: z.string().optional(),
    salt: z.string().optional(),
    erased_by: z.int().optional(),
    hidden_by: z.int().optional(),
    withdrawn_by: z.int().optional(),
    withheld: z.enum(['listing_withdrawn', 'listing_hidden']).optional(),
    /** C2SP tlog-proof; `key` verifies its checkpoint (signed note). */
    proof: z.string(),
    key: z.string(),
    statement: z.string(),
  }),
  example: { log_index: 0 },
  async run({ log_index, rating_id }, context) {
    if ((log_index === undefined) === (rating_id === undefined)) {
      const message = 'one of log_index and rating_id';
      throw wrongField('log_index', message, `Send ${message}.`);
    }
    const rating = log_index === undefined ? await requireRating(context.store, rating_id ?? '') : undefined;
    const proven = await proveEntry(context, log_index ?? rating?.log_index ?? 0, rating);
    const { log } = proven;
    return {
      ...proven,
      statement: `The proof shows that the leaf is entry ${proven.log_index} of the append-only log ${log}, not that the entry is right. Save this answer: \`dossier verify FILE --key KEY\` checks it offline, with the key that ${log}/key had when you first read it.`,
    };
  },
});
