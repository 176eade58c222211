import { z } from 'zod';
import { compareSurface, type ToolDigests } from '../evidence/kinds/tools/compare-surface.ts';
import { toolDigest } from '../evidence/kinds/tools/digest.ts';
import type { StoredObservation } from '../evidence/observation/observation.ts';
import { Problem } from '../problem.ts';
import { findListingFacts } from './support/find-listing.ts';
import { handleInput } from './support/inputs.ts';
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

function seenDigests({ details }: StoredObservation): ToolDigests {
  const tools = details?.tools as readonly { readonly name: string; readonly sha256: string }[] | undefined;
  return Object.fromEntries((tools ?? []).map(({ name, sha256: digest }) => [name, digest]));
}

const day = (at: string) => at.slice(0, 10);

const toNeverSeen = (handle: string, known: StoredObservation | undefined) => ({
  handle,
  result: 'never_seen' as const,
  message: `Dossier has seen no list of tools of this service. ${known?.reason ?? 'Dossier has not looked at this listing.'}`,
  differs: [],
  untrusted_fields: [],
});

/** Compares with one endpoint's tools. */
function compareWith(handle: string, seen: StoredObservation, sent: ToolDigests) {
  const differs = compareSurface(seenDigests(seen), sent);
  const since = `since ${day(seen.first_seen_at)}, last on ${day(seen.observed_at)}, from ${seen.vantage}`;
  return {
    handle,
    result: differs.length === 0 ? ('same' as const) : ('other' as const),
    message:
      differs.length === 0
        ? `These are the tools that Dossier has seen ${since}.`
        : `${differs.length === 1 ? '1 tool differs' : `${differs.length} tools differ`} between these and those that Dossier has seen ${since}.`,
    ...(seen.subject !== undefined && { endpoint: seen.subject }),
    differs,
    digest: String(seen.value),
    first_seen_at: seen.first_seen_at,
    observed_at: seen.observed_at,
    vantage: seen.vantage,
    untrusted_fields: ['differs', 'endpoint'],
  };
}

/** Whether the tools that a caller sees are those that this service saw. */
export const checkSurface = defineTool({
  name: 'check_surface',
  title: 'Compare the tools you see with those Dossier saw',
  description:
    'Compares the tools that an MCP service lists to you with those it listed to Dossier, and says which differ, since when and seen from where. Use it when you have connected to a listed service, before you rely on its tool descriptions or annotations. The same tools are no promise about what a call does; Dossier calls none.',
  effects: readsOnly,
  input,
  output,
  example: { handle: 'co.webhook/webhook', digests: {} },
  async run(sent, context) {
    const digests = toDigests(sent);
    const { listing, observed } = await findListingFacts(sent.handle, context);
    const known = (observed?.observations ?? []).filter(({ kind }) => kind === 'tools.surface');
    const seen = known.filter(({ state }) => state === 'observed');
    const compared = seen.map((one) => compareWith(listing.handle, one, digests));
    const closest = compared.toSorted((a, b) => a.differs.length - b.differs.length)[0];
    return closest ?? toNeverSeen(listing.handle, known[0]);
  },
});
