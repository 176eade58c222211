import { Hono } from 'hono';
import { Problem } from '../problem.ts';
import { submitFeedback } from '../tools/submit-feedback.ts';
import { toFeedbackPage } from '../views/feedback-page.ts';
import { answerPage } from './answers.ts';
import { readForm } from './body.ts';
import { call } from './call.ts';
import type { Face, HttpEnvironment, Request } from './environment.ts';

const formLimit_bytes = 8192;
const names = ['message', 'category', 'handle', 'looking_for', 'found_it', 'contact'] as const;

type Values = Readonly<Record<string, string>>;

const known = (form: Values): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (form[name] === undefined ? [] : [[name, form[name]]])));

const toInput = ({ found_it, ...rest }: Record<string, string>) => ({
  ...rest,
  ...(found_it !== undefined && { found_it: found_it === 'true' }),
});

const atTheForm = ['invalid_input', 'invalid_handle', 'unknown_handle', 'listing_withdrawn'];

const showForm = (c: Request, { site }: Face) => {
  const received = c.req.query('received');
  const handle = c.req.query('handle')?.slice(0, 200);
  const isId = received !== undefined && /^[0-9a-f-]{36}$/.test(received);
  return answerPage(c, toFeedbackPage(site, { values: handle ? { handle } : {}, ...(isId && { received }) }));
};

const send = async (c: Request, { site }: Face) => {
  const values = known(await readForm(c, formLimit_bytes, site.config.PUBLIC_URL));
  try {
    const { id } = await call(c, submitFeedback, toInput(values));
    return c.redirect(`/feedback?received=${id}`, 303);
  } catch (problem) {
    if (!(problem instanceof Problem) || !atTheForm.includes(problem.code)) throw problem;
    return c.html(String(toFeedbackPage(site, { values, problem })), 422, { 'Cache-Control': 'no-store' });
  }
};

/** The feedback form: 422 with messages at the fields, 303 once it was received. */
export const createFeedbackRoutes = (face: Face) =>
  new Hono<HttpEnvironment>()
    .get('/feedback', (c) => showForm(c, face))
    .post('/feedback', (c) => send(c, face));
