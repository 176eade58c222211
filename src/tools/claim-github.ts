import { z } from 'zod';
import { answerClaim } from '../claims/answer.ts';
import { claimResponse } from '../claims/response.ts';
import { findToCheck, toRepositoryTarget } from '../claims/target.ts';
import { claimAgent } from './claim-agent.ts';
import { findListing } from './support/find-listing.ts';
import { defineTool } from './tool.ts';

const { name, title, description, effects, bodyLimit_bytes, networkLimits } = claimAgent;

/** POST /api/claim-github: claim_agent by the recorded repository alone, as the specification has it. */
export const claimGithub = defineTool({
  ...{ name, title, description, effects, bodyLimit_bytes, networkLimits },
  input: claimAgent.input.omit({ method: true, signature: true }),
  output: claimResponse.omit({ domain: true }).extend({ repository: z.string() }),
  example: { handle: 'co.webhook/webhook' },
  async run({ handle, ...request }, context) {
    const found = await findToCheck(handle, context.store.listings);
    const target = toRepositoryTarget(found ?? (await findListing(handle, context)), context);
    const answer = await answerClaim(target, request, context);
    return { ...answer, repository: target.place.shown };
  },
});
