import { Hono } from 'hono';
import { authenticate, revokeCapability } from '../../claims/authenticate.ts';
import { Problem } from '../../problem.ts';
import { claimAgent } from '../../tools/claim-agent.ts';
import { tools } from '../../tools/index.ts';
import { submitFeedback } from '../../tools/submit-feedback.ts';
import type { Tool } from '../../tools/tool.ts';
import { call } from '../call.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import { readJson } from '../request/body.ts';
import { answerOnce } from '../response/answers.ts';

/** Bytes a tool's JSON body may have (trust.md section 5). */
const bodyLimits_bytes: Readonly<Record<string, number>> = { claim_agent: 2048, submit_feedback: 8192 };
const otherLimit_bytes = 65_536;

async function runTool(c: Request, tool: Tool): Promise<Response> {
  const input = await readJson(c, bodyLimits_bytes[tool.name] ?? otherLimit_bytes);
  const answer = await call(c, tool, input);
  const { check } = answer as { check?: { retry_after_s?: number } };
  if (check?.retry_after_s !== undefined) c.header('Retry-After', String(check.retry_after_s));
  return answerOnce(c, answer);
}

function toolOf(c: Request): Tool {
  const tool = tools.find(({ name }) => name === c.req.param('tool'));
  if (!tool) throw new Problem('not_found', { detail: 'No tool has this name; /tools lists them all.' });
  return tool;
}

/** How to use an endpoint that is only posted to, for those who look at it. */
const howTo =
  ({ site }: Face, path: string, tool: Tool) =>
  (c: Request) =>
    c.text(
      `${tool.title}\n\n${tool.description}\n\ncurl -s ${site.config.publicUrl}${path} -H 'Content-Type: application/json' -d '${JSON.stringify(tool.example)}'\n\nFields and answers: ${site.config.publicUrl}/tools#${tool.name}\n`,
    );

const showCapability = async (c: Request) => {
  const { id, handle, state, activated_at } = await authenticate(c.get('context'));
  return answerOnce(c, { capability_id: id, handle, state, activated_at });
};

const revoke = async (c: Request) => answerOnce(c, { ...(await revokeCapability(c.get('context'))) });

/** The JSON endpoints: each is a tool, or says something of the caller's own capability. */
export const createApiRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .post('/api/tools/:tool', (c) => runTool(c, toolOf(c)))
    .get('/api/claim-github', howTo(face, '/api/claim-github', claimAgent as unknown as Tool))
    .post('/api/claim-github', (c) => runTool(c, claimAgent as unknown as Tool))
    .get('/api/feedback', howTo(face, '/api/feedback', submitFeedback as unknown as Tool))
    .post('/api/feedback', (c) => runTool(c, submitFeedback as unknown as Tool))
    .get('/api/capability', showCapability)
    .post('/api/capability/revoke', revoke);
