import { z } from 'zod';
import { answerClaim, claimResponse, requireTarget } from '../claims/answer.ts';
import { claimKind, claimKinds } from '../claims/claim.ts';
import { lineEffects, readWays } from '../claims/line-effect.ts';
import { findToCheck, toRepositoryTarget } from '../claims/locations.ts';
import { claimMethods } from '../claims/methods.ts';
import type { Context } from '../context.ts';
import type { Listing } from '../listings/listing.ts';
import { findListing } from './find/listing.ts';
import { handleInput } from './input/fields.ts';
import { defineTool } from './tool.ts';

const input = z.strictObject({
  handle: handleInput,
  method: z.enum(claimKinds).optional(),
  rotate: z.boolean().optional().describe('A new challenge and capability'),
  challenge: z.string().max(100).optional().describe('Check only this challenge'),
  signature: z.string().max(300).optional(),
});

const output = claimResponse.extend({
  method: claimKind,
  copy: z.string().optional().describe('The command to run, or the DNS record to add'),
  methods: z
    .array(
      z.object({
        method: claimKind,
        where: z.string(),
        new_line: z.enum(lineEffects).optional().describe('What a line that you ask for does to the claim'),
      }),
    )
    .describe('The claim methods that can work for this listing, the easiest first'),
});

/** Shown, or withdrawn by an opt-out line. Throws as findListing does. */
async function findToAsk(handle: string, context: Context): Promise<Listing> {
  const found = await findToCheck(handle, context.store);
  return found && found.withdrawn !== 'operator' ? found : findListing(handle, context);
}

export const claimAgent = defineTool({
  name: 'claim_agent',
  title: 'Claim your own listing',
  description:
    'Claims the listing of your own MCP server: proves that you can push to its repository, or control its domain or registry key. Returns a public challenge and a secret capability (shown once); call again to check. Needed to rate and to answer ratings.',
  asked:
    'claim my own, our own MCP server listing; prove or verify ownership, that I own, control, run or maintain it; get verified, register as the publisher of a server; I am the publisher, owner, author; my company, take over an entry',
  effects: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  bodyLimit_bytes: 2048,
  input,
  output,
  networkLimits: [{ name: 'claim', burst: 10, refill_s: 60 }],
  example: { handle: 'co.webhook/webhook' },
  async run({ handle, method, ...request }, context) {
    const listing = await findToAsk(handle, context);
    const target = await requireTarget(listing, { method, ...request }, context);
    const answer = await answerClaim(target, request, context);
    const { claimFile } = context.config;
    const { challenge } = answer;
    const copy = challenge && claimMethods[target.place.kind].toCopy?.(target.place, challenge);
    return {
      ...answer,
      method: target.place.kind,
      ...(copy && { copy }),
      methods: (await readWays(listing, context)).map(({ place, effect }) => ({
        method: place.kind,
        where: claimMethods[place.kind].whereToPut(place, claimFile),
        ...(effect && { new_line: effect }),
      })),
    };
  },
});

const { name, title, description, effects, bodyLimit_bytes, networkLimits } = claimAgent;

/** POST /api/claim-github: by the specification it claims only by the recorded repository. */
export const claimGithub = defineTool({
  name,
  title,
  description,
  effects,
  bodyLimit_bytes,
  networkLimits,
  input: claimAgent.input.omit({ method: true, signature: true }),
  output: claimResponse.omit({ domain: true }).extend({ repository: z.string() }),
  example: { handle: 'co.webhook/webhook' },
  async run({ handle, ...request }, context) {
    const target = toRepositoryTarget(await findToAsk(handle, context), context);
    return { ...(await answerClaim(target, request, context)), repository: target.place.shown };
  },
});
