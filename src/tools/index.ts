import type { z } from 'zod';
import type { Written } from '../core/words.ts';
import { checkOffer } from './check-offer.ts';
import { checkSurface } from './check-surface.ts';
import { claimAgent } from './claim-agent.ts';
import { compareAgents } from './compare-agents.ts';
import { getAgent } from './get-agent.ts';
import { getHistory } from './get-history.ts';
import { getProof } from './get-proof.ts';
import { listRatings } from './list-ratings.ts';
import { listTags } from './list-tags.ts';
import { resolveAgents } from './resolve-agents.ts';
import { respondToRating } from './respond-to-rating.ts';
import { searchAgents } from './search-agents.ts';
import { submitFeedback } from './submit-feedback.ts';
import { submitRating } from './submit-rating.ts';
import type { Tool } from './tool.ts';
import { withdrawRating } from './withdraw-rating.ts';

const allTools = [
  getAgent,
  searchAgents,
  listTags,
  listRatings,
  compareAgents,
  getHistory,
  checkSurface,
  checkOffer,
  submitRating,
  withdrawRating,
  respondToRating,
  claimAgent,
  submitFeedback,
  getProof,
  resolveAgents,
] as const;

export const tools: readonly Tool[] = allTools;

export type Tools = {
  [T in (typeof allTools)[number] as T['name']]: {
    input: z.input<T['input']>;
    answer: Written<z.output<T['output']>>;
  };
};
