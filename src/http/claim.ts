import { Hono } from 'hono';
import { claimAgent } from '../tools/claim-agent.ts';
import { getAgent } from '../tools/get-agent.ts';
import { toClaimPage } from '../views/claim-page.ts';
import { answerPage } from './answers.ts';
import { readForm } from './body.ts';
import { call } from './call.ts';
import type { Face, HttpEnvironment, Request } from './environment.ts';
import { handleOf, orRedirect } from './listing-path.ts';

const formLimit_bytes = 2048;

const showSteps = (c: Request, { site }: Face) => {
  const handle = handleOf(c);
  return orRedirect(c, handle, async () => {
    const { repository, state, claim } = await call(c, getAgent, { handle });
    return answerPage(c, toClaimPage(site, { handle, repository, state, claim }));
  });
};

/** Runs claim_agent with what the form says; the secret is on this one answer only. */
const runStep = async (c: Request, { site }: Face) => {
  const handle = handleOf(c);
  const form = await readForm(c, formLimit_bytes, site.config.PUBLIC_URL);
  return orRedirect(c, handle, async () => {
    const checked = form.challenge;
    const input = { handle, ...(checked && { challenge: checked }), ...(form.rotate && { rotate: true }) };
    const answer = await call(c, claimAgent, input);
    const page = toClaimPage(site, { handle, repository: answer.repository, checked, answer });
    return c.html(String(page), 200, { 'Cache-Control': 'no-store' });
  });
};

/** The claim page of a listing: the steps, and the form that runs them. */
export const createClaimRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/agents/:namespace/:name/claim', (c) => showSteps(c, face))
    .post('/agents/:namespace/:name/claim', (c) => runStep(c, face));
