import { Hono } from 'hono';
import { askRun, authenticate, revokeCapability } from '../../claims/authenticate.ts';
import { Problem } from '../../core/problem.ts';
import { claimGithub } from '../../tools/claim-agent.ts';
import { tools } from '../../tools/index.ts';
import { submitFeedback } from '../../tools/submit-feedback.ts';
import type { Tool } from '../../tools/tool.ts';
import { toCurl } from '../../views/html.ts';
import { call, type HttpAdapter, type HttpEnvironment, type Request } from '../call.ts';
import { readJson } from '../request.ts';
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

const howTo =
  ({ site }: HttpAdapter, path: string, tool: Tool) =>
  (c: Request) =>
    c.text(
      `${tool.title}\n\n${tool.description}\n\n${toCurl(`${site.config.publicUrl}${path}`, tool.example)}\n\nFields and answers: ${site.config.publicUrl}/tools#${tool.name}\n`,
    );

const revoke = async (c: Request) =>
  answerOnce(c, { ...(await revokeCapability(c.get('context'), c.req.query('id'))) });

const askOwnCheck = async (c: Request) => answerOnce(c, { ...(await askRun(c.get('context'))) });

export const createApiRoutes = (adapter: HttpAdapter) =>
  new Hono<HttpEnvironment>()
    .post('/api/tools/:tool', (c) => runTool(c, toolOf(c)))
    .get('/api/claim-github', howTo(adapter, '/api/claim-github', claimGithub))
    .post('/api/claim-github', (c) => runTool(c, claimGithub))
    .get('/api/feedback', howTo(adapter, '/api/feedback', submitFeedback))
    .post('/api/feedback', (c) => runTool(c, submitFeedback))
    .get('/api/capability', async (c: Request) => {
      const { id, handle, state, activated_at } = await authenticate(c.get('context'));
      return answerOnce(c, { capability_id: id, handle, state, activated_at });
    })
    .post('/api/capability/check', askOwnCheck)
    .post('/api/capability/revoke', revoke);
