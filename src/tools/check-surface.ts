import { z } from 'zod';
import type { ToolDigests } from '../evidence/kinds/tools/compare-surface.ts';
import { toolDigest } from '../evidence/kinds/tools/digest.ts';
import { Problem } from '../problem.ts';
import { findListingFacts } from './support/find-listing.ts';
import { handleInput } from './support/inputs.ts';
import { compareWith, findTexts, toNeverSeen } from './support/surface-answer.ts';
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
    .describe('Tool objects exactly as your tools/list gave them'),
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
  differs: z.array(z.object({ name: z.string(), difference: z.enum(['only_here', 'only_there', 'other']) })),
  texts: z
    .array(z.object({ name: z.string(), member: z.string(), difference: z.string() }))
    .optional()
    .describe('How titles and descriptions differ: [-as Dossier saw it-]{+as you sent it+}'),
  digest: z.string().optional().describe('Merkle root over the tools that Dossier saw'),
  first_seen_at: z.string().optional(),
  observed_at: z.string().optional(),
  vantage: z.string().optional(),
  untrusted_fields: z.array(z.string()),
});

/** The caller's tools as digests by name. Throws invalid_input unless exactly one form was sent. */
function toDigests({ tools, digests }: z.output<typeof input>): ToolDigests {
  if ((tools === undefined) === (digests === undefined)) {
    const message = 'one of tools and digests';
    throw new Problem('invalid_input', {
      fields: [{ field: 'tools', message }],
      detail: `Send ${message}: what your own tools/list gave you.`,
    });
  }
  return digests ?? Object.fromEntries((tools ?? []).map((tool) => [tool.name, toolDigest(tool)]));
}

/** Whether the tools that a caller sees are those that this service saw. */
export const checkSurface = defineTool({
  name: 'check_surface',
  title: 'Compare the tools you see with those Dossier saw',
  description:
    'Compares the tools that an MCP service lists to you with those it listed to Dossier, and says which differ, since when and seen from where. Use it once connected to a listed service, before you rely on its tool descriptions or annotations. The same tools are no promise about what a call does; Dossier calls none.',
  effects: readsOnly,
  input,
  output,
  example: { handle: 'co.webhook/webhook', digests: {} },
  toText: toSurfaceText,
  async run(sent, context) {
    const digests = toDigests(sent);
    const { listing, observed } = await findListingFacts(sent.handle, context);
    const known = (observed?.observations ?? []).filter(({ kind }) => kind === 'tools.surface');
    const seen = known.filter(({ state, details }) => state === 'observed' && details);
    const compared = seen.map((one) => compareWith(listing.handle, one, digests));
    const closest = compared.toSorted((a, b) => a.differs.length - b.differs.length)[0];
    if (!closest) return toNeverSeen(listing.handle, known[0]);
    const texts = await findTexts(closest, sent.tools ?? [], context);
    return { ...closest, ...(texts.length > 0 && { texts }) };
  },
});
