import { Hono } from 'hono';
import { Problem } from '../../core/problem.ts';
import { getListing } from '../../tools/find/listing.ts';
import { readSent, submitFeedback } from '../../tools/submit-feedback.ts';
import { bodyBoundsOf } from '../../tools/tool.ts';
import { toFeedbackPage } from '../../views/feedback-page.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { call, readForm } from '../request.ts';
import { answerPage, answerPageOnce } from '../response.ts';

const names = ['message', 'category', 'handle', 'rating_id', 'looking_for', 'found_it', 'contact'];

const toFeedback = ({ found_it, ...rest }: Record<string, string>) => ({
  ...rest,
  ...(found_it !== undefined && { found_it: found_it === 'true' }),
});

/** Shown at the form, with the input. */
const wrong = ['invalid_input', 'invalid_handle', 'unknown_handle', 'listing_withdrawn'];
const notNow = ['writing_blocked', 'rate_limited', 'feedback_paused', 'unavailable', 'storage_full'];

async function noteOf(c: Request, handle: string | undefined): Promise<string | undefined> {
  try {
    return handle ? (await getListing(handle, c.get('context'))).origin_note : undefined;
  } catch (problem) {
    if (problem instanceof Problem) return undefined;
    throw problem;
  }
}

const filledIn = { handle: 200, rating_id: 64, category: 20, message: 200 };

const showForm = async (c: Request) => {
  const asked = c.req.query();
  const values: Record<string, string> = {};
  for (const [name, most] of Object.entries(filledIn))
    if (asked[name]) values[name] = asked[name].slice(0, most);
  const origin_note = await noteOf(c, values.handle);
  const received = /^[0-9a-f-]{36}$/.exec(asked.received ?? '')?.[0];
  const kept = received ? await readSent(received, c.get('context')) : undefined;
  return answerPage(c, toFeedbackPage(c.get('context'), { values, origin_note, received: kept }));
};

const takeForm = async (c: Request) => {
  const form = await readForm(c, bodyBoundsOf(submitFeedback).bytes);
  const values = Object.fromEntries(Object.entries(form).filter(([name]) => names.includes(name)));
  try {
    const { id } = await call(c, submitFeedback, toFeedback(values));
    return c.redirect(`/feedback?received=${id}`, 303);
  } catch (problem) {
    if (!(problem instanceof Problem) || ![...wrong, ...notNow].includes(problem.code)) throw problem;
    const { facts } = problem;
    const status = wrong.includes(problem.code) ? 422 : problem.status;
    return answerPageOnce(c, toFeedbackPage(c.get('context'), { values, problem }), { status, facts });
  }
};

/** 303, so that a reload does not send again. */
export const feedbackRoutes = new Hono<HttpEnvironment>()
  .get('/feedback', showForm)
  .post('/feedback', takeForm);
