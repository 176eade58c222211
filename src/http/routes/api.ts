import { Hono } from 'hono';
import { askRun, authenticate, revokeCapability } from '../../claims/authenticate.ts';
import { Problem } from '../../core/problem.ts';
import { claimGithub } from '../../tools/claim-agent.ts';
import { tools } from '../../tools/index.ts';
import { submitFeedback } from '../../tools/submit-feedback.ts';
import type { Tool } from '../../tools/tool.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { call, readJson } from '../request.ts';
import { answerOnce } from '../response.ts';

async function runTool(c: Request, tool: Tool): Promise<Response> {
  const answer = await call(c, tool, await readJson(c, tool));
  const { check } = answer as { check?: { retry_after_s?: number } };
  if (check?.retry_after_s !== undefined) c.header('Retry-After', String(check.retry_after_s));
  return answerOnce(c, answer);
}

function toolOf(c: Request): Tool {
  const tool = tools.find(({ name }) => name === c.req.param('tool'));
  if (!tool) throw new Problem('not_found', 'No tool has this name; /tools lists all tools.');
  return tool;
}

export const apiRoutes = new Hono<HttpEnvironment>()
  .post('/api/tools/:tool', (c) => runTool(c, toolOf(c)))
  .post('/api/claim-github', (c) => runTool(c, claimGithub))
  .post('/api/feedback', (c) => runTool(c, submitFeedback))
  .get('/api/capability', async (c: Request) => {
    const { id, handle, state, activated_at } = await authenticate(c.get('context'));
    return answerOnce(c, { capability_id: id, handle, state, activated_at });
  })
  .post('/api/capability/check', async (c) => answerOnce(c, { ...(await askRun(c.get('context'))) }))
  .post('/api/capability/revoke', async (c) =>
    answerOnce(c, { ...(await revokeCapability(c.get('context'), c.req.query('id'))) }),
  );
