import { Hono } from 'hono';
import type { StatusCode } from 'hono/utils/http-status';
import { Problem } from '../../problem.ts';
import { claimAgent } from '../../tools/claim-agent.ts';
import { getListing } from '../../tools/get-agent.ts';
import { bodyLimitOf } from '../../tools/tool.ts';
import { toClaimPage } from '../../views/claim/claim-page.ts';
import { call } from '../call.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import { readForm } from '../request/body.ts';
import { handleOf, orRedirect } from '../request/listing-path.ts';
import { answerPage } from '../response/answers.ts';
import { wantsPage } from '../response/problems.ts';
import { toWaitHeaders } from '../response/wait-headers.ts';

const showSteps = (c: Request, { site }: Face) => {
  const handle = handleOf(c);
  return orRedirect(c, handle, async () => {
    const { repository, state, claim, origin_note } = await getListing(handle, c.get('context'));
    return answerPage(c, toClaimPage(site, { handle, repository, state, claim, origin_note }));
  });
};

/** Problems that are shown on the claim page instead of a problem page. */
const atTheForm = ['invalid_input', 'no_repository', 'host_unsupported', 'rate_limited', 'unavailable'];

/** The page as before the step, with the problem. */
async function showProblem(c: Request, handle: string, [problem, { site }]: [unknown, Face]) {
  if (!(problem instanceof Problem && atTheForm.includes(problem.code) && wantsPage(c))) throw problem;
  const { repository, state, claim, origin_note } = await getListing(handle, c.get('context'));
  c.status(problem.status as StatusCode);
  const headers = { 'Cache-Control': 'no-store', ...toWaitHeaders(problem.facts) };
  return c.html(String(toClaimPage(site, { handle, repository, state, claim, origin_note, problem })), {
    headers,
  });
}

/** Runs claim_agent with the input of the form; the secret is shown only in this response. */
const runStep = async (c: Request, face: Face) => {
  const handle = handleOf(c);
  const { config } = face.site;
  const { challenge: checked, rotate } = await readForm(c, bodyLimitOf(claimAgent), config.publicUrl);
  return orRedirect(c, handle, async () => {
    const input = { handle, ...(checked && { challenge: checked }), ...(rotate && { rotate: true }) };
    try {
      const answer = await call(c, claimAgent, input);
      const { origin_note } = await getListing(handle, c.get('context'));
      const step = { handle, repository: answer.repository, origin_note, checked, answer };
      const page = toClaimPage(face.site, step);
      return c.html(String(page), 200, { 'Cache-Control': 'no-store' });
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
