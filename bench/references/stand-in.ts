import { z } from 'zod';

/** What the references serve: eight tools of the real size, one answer of about 1 kB, no store. */
export const identity = { name: 'bench', version: '1.0.0' };

/** Names of the tools; get_agent is the one that is called. */
export const toolNames = ['get_agent', ...Array.from({ length: 7 }, (_, at) => `other_${at}`)];

/** A description of the length ours have. */
export const description = 'When to use it, when not, and what the answer is not. '.repeat(6);

/** The input of each tool. */
export const input = z.object({ handle: z.string().min(3).max(200) });

/** The output of each tool. */
export const output = z.object({
  handle: z.string(),
  description: z.string(),
  tags: z.array(z.object({ tag: z.string(), reason: z.string() })),
  signals: z.object({ statement: z.string(), ratings: z.int(), imported: z.array(z.string()) }),
});

const document = {
  handle: 'co.webhook/webhook',
  description: 'Receive, inspect, replay and deliver webhooks. '.repeat(8).trim(),
  tags: ['webhooks', 'delivery', 'agents'].map((tag) => ({ tag, reason: `the description says ${tag}` })),
  signals: {
    statement: 'No native ratings. For a decision to buy, that absence matters.',
    ratings: 0,
    imported: Array.from({ length: 6 }, (_, at) => `signal ${at}: observed 2026-11-20`),
  },
};

/** A tool's result: the document as text and as structure. */
export const toResult = (structuredContent: object = document) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }],
  structuredContent: { ...structuredContent },
});
