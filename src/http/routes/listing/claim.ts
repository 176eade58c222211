import { Hono } from 'hono';
import type { StatusCode } from 'hono/utils/http-status';
import { findMethods } from '../../../claims/target.ts';
import type { ClaimKind } from '../../../evidence/claim/proof-place.ts';
import { Problem } from '../../../problem.ts';
import { claimAgent } from '../../../tools/claim-agent.ts';
import { getListing } from '../../../tools/get-agent.ts';
import { bodyLimitOf } from '../../../tools/tool.ts';
import { toClaimPage } from '../../../views/claim/claim-page.ts';
import { call } from '../../call.ts';
import type { Face, HttpEnvironment, Request } from '../../environment.ts';
import { readForm } from '../../request/body.ts';
import { handleOf, orRedirect } from '../../request/listing-path.ts';
import { answerPage } from '../../response/answers.ts';
import { wantsPage } from '../../response/problems.ts';
import { toWaitHeaders } from '../../response/wait-headers.ts';

/** What the page shows of a listing before a step. */
async function toStep(c: Request, handle: string) {
  const context = c.get('context');
  const listing = await getListing(handle, context);
  const { state, claim, origin_note } = listing;
  return { handle, ways: findMethods(listing, context), state, claim, origin_note };
}

const showSteps = (c: Request, { site }: Face) => {
  const handle = handleOf(c);
  return orRedirect(c, handle, async () => {
    return answerPage(c, toClaimPage(site, await toStep(c, handle)));
  });
};

/** Problems that are shown on the claim page instead of a problem page. */
const atTheForm = [
  'invalid_input',
  'no_repository',
  'host_unsupported',
  'method_unsupported',
  'rate_limited',
  'unavailable',
];

/** The page as before the step, with the problem. */
async function showProblem(c: Request, handle: string, [problem, { site }]: [unknown, Face]) {
  if (!(problem instanceof Problem && atTheForm.includes(problem.code) && wantsPage(c))) throw problem;
  c.status(problem.status as StatusCode);
  const headers = { 'Cache-Control': 'no-store', ...toWaitHeaders(problem.facts) };
  return c.html(String(toClaimPage(site, { ...(await toStep(c, handle)), problem })), { headers });
}

/** The fields of the form as the input of claim_agent; empty ones are left out. */
const toInput = ({ challenge, rotate, method, signature }: Readonly<Record<string, string>>) => ({
  ...(challenge && { challenge }),
  ...(rotate && { rotate: true }),
  ...(method && { method: method as ClaimKind }),
  ...(signature && { signature: signature.replace(/\s+/g, '') }),
});

/** Runs claim_agent with the input of the form; the secret is shown only in this response. */
const runStep = async (c: Request, face: Face) => {
  const handle = handleOf(c);
  const { config } = face.site;
  const form = await readForm(c, bodyLimitOf(claimAgent), config.publicUrl);
  return orRedirect(c, handle, async () => {
    try {
      const answer = await call(c, claimAgent, { handle, ...toInput(form) });
      const step = { ...(await toStep(c, handle)), checked: form.challenge, answer };
      return c.html(String(toClaimPage(face.site, step)), 200, { 'Cache-Control': 'no-store' });
    } catch (problem) {
      return showProblem(c, handle, [problem, face]);
    }
  });
};

/** The claim page of a listing (get_agent), and its form (claim_agent). */
export const createClaimRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/agents/:namespace/:name/claim', (c) => showSteps(c, face))
    .post('/agents/:namespace/:name/claim', (c) => runStep(c, face));
