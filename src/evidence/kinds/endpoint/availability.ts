import type { NoAnswer } from '../../observation/answer.ts';
import { defineKind } from '../../observation/kind.ts';
import type { Finding } from '../../observation/observation.ts';
import { ownProbe, remotesOf } from '../remotes.ts';

const classes = {
  timeout: 'no_answer_in_time',
  connection: 'no_connection',
  certificate: 'invalid_certificate',
  not_http: 'other_answer',
  too_large: 'other_answer',
} as const;

/** The class of what was no answer. */
function classOf(cause: NonNullable<NoAnswer['cause']>): string {
  if (typeof cause === 'string') return classes[cause];
  if (cause >= 500) return 'server_error';
  if (cause === 429) return 'too_many_requests';
  return cause === 404 || cause === 410 ? 'not_there' : 'other_answer';
}

/** How many of the checks an endpoint answered. */
export const endpointAvailability = defineKind({
  kind: 'endpoint.availability',
  question: 'reach',
  title: 'Answered checks of 30 days',
  means:
    'How many of the checks that Dossier made of the recorded endpoint in the 30 days up to that date it answered: it introduced itself, or asked for credentials or a payment. The details have the same of 90 days, and how the other checks ended.',
  doesNotMean:
    'It is no measure of what callers met: checks are few, and made from one place. Checks in which Dossier asked for nothing (robots.txt, a pause that the host asked for, a failure of its own) are not counted.',
  method_version: 'availability/1',
  about: remotesOf,
  isOptional: true,
  isTally: true,
  check: (look) =>
    Promise.all(
      look.listing.remotes.map(async (remote): Promise<Finding> => {
        const { result, ...none } = await look.endpoint(remote);
        const { reason, cause } = none as Partial<NoAnswer>;
        const about = { subject: remote.url, value: null, source: ownProbe };
        if (result === 'answered') return { ...about, state: 'observed', ended: 'answered' };
        if (cause !== undefined) return { ...about, state: 'observed', ended: classOf(cause) };
        return { ...about, state: result, ...(reason && { reason }), onlyIfSeen: true };
      }),
    ),
});
