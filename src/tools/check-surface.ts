import { z } from 'zod';
import { Problem } from '../problem.ts';
import { findListingFacts } from './support/find-listing.ts';
import { handleInput } from './support/inputs.ts';
import { compareWith, type Shown, toNeverSeen } from './support/surface-answer.ts';
import { toSurfaceText } from './texts/surface-text.ts';
import { defineTool, readsOnly } from './tool.ts';

const mostTools = 500;
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'SHA-256 as 64 hex digits');

const input = z.strictObject({
  handle: handleInput,
  tools: z
    .array(z.looseObject({ name: z.string() }))
    .max(mostTools)
    .optional()
    .describe('The tools you see, with the members you have'),
  digests: z
    .record(z.string().max(200), sha256)
    .optional()
    .describe('Instead of tools: SHA-256 of the RFC 8785 JSON of each tool, by name'),
});

const output = z.object({
  handle: z.string(),
  result: z.enum(['same', 'other', 'never_seen']),
  message: z.string(),
  endpoint: z.string().optional().describe('The recorded endpoint that was compared with'),
  differs: z.array(
    z.object({
      name: z.string(),
      difference: z.enum(['only_here', 'only_there', 'other']),
      members: z.array(z.string()).optional(),
    }),
  ),
  repeated: z.array(z.string()).optional().describe('Names of several tools'),
  not_sent: z.array(z.string()).optional().describe('Members not compared'),
  prefix: z.string().optional(),
  texts: z
    .array(z.object({ name: z.string(), member: z.string(), difference: z.string() }))
    .optional()
    .describe('How members differ: [-as Dossier saw it-]{+as you sent it+}'),
  digest: z.string().optional().describe('Merkle root over the tools that Dossier saw'),
  first_seen_at: z.string().optional(),
  observed_at: z.string().optional(),
  vantage: z.string().optional(),
  earlier: z
    .object({ first_seen_at: z.string(), seen_until: z.string().optional() })
    .optional()
    .describe('When Dossier saw exactly your tools, if another set followed'),
  untrusted_fields: z.array(z.string()),
});

/** What the caller was shown. Throws invalid_input unless exactly one form was sent. */
function toShown({ tools, digests }: z.output<typeof input>): Shown {
  if (tools && !digests) return { tools };
  if (digests && !tools) return { digests };
  const message = 'one of tools and digests';
  throw new Problem('invalid_input', {
    fields: [{ field: 'tools', message }],
    detail: `Send ${message}: what your own tools/list gave you.`,
  });
}

/** Whether the tools that a caller sees are those that this service saw. */
export const checkSurface = defineTool({
  name: 'check_surface',
  title: 'Compare the tools you see with those Dossier saw',
  description:
    'Compares the tools that an MCP service lists to you with those it listed to Dossier, and says which differ and since when. Use it once connected, before you rely on their descriptions. The same tools are no promise about what a call does.',
  effects: readsOnly,
  bodyLimit_bytes: 2 * 1024 * 1024,
  bodyDepth: 100,
  input,
  output,
  example: { handle: 'co.webhook/webhook', digests: {} },
  toText: toSurfaceText,
  async run(sent, context) {
    const shown = toShown(sent);
    const { listing, observed } = await findListingFacts(sent.handle, context);
    const known = (observed?.observations ?? []).filter(({ kind }) => kind === 'tools.surface');
    const seen = known.filter(({ state, details }) => state === 'observed' && details);
    const compared = await Promise.all(seen.map((one) => compareWith(listing.handle, one, shown, context)));
    const closest = compared.toSorted((a, b) => a.differs.length - b.differs.length)[0];
    return closest ?? toNeverSeen(listing.handle, known[0]);
  },
});
