import { z } from 'zod';
import { code, own, say, type Words } from '../../../core/words.ts';
import { mayPass, type NoAnswer } from '../../../net/answer.ts';
import { isUnanswered, type Outcome } from '../../asked/outcome.ts';
import { defineKind } from '../kind.ts';
import type { Finding } from '../observation.ts';
import { type CheckEnd, type Tallied, tallied, talliedWords } from '../timeline/tally.ts';
import { ofRemotes, ownProbe, withoutAnswer } from './remotes.ts';

/** A status other than 2xx and 402 comes only with a question for sign-in. */
function answerWords(status: number): Words {
  if (status === 402) return own('asks for payment before it answers');
  return status < 300 ? own('answered') : own('asks for sign-in before it answers');
}

const ofCredentials = [own('credentials'), own('a challenge (WWW-Authenticate)')] as const;
const ofPayment = [own('a payment'), own('an offer that Dossier can read')] as const;

export const endpointAnswers = defineKind({
  kind: 'endpoint.answers',
  unstated: {
    what: own('a remote endpoint'),
    name: own('a remote endpoint'),
    isAsked: ({ remotes }) => remotes.length === 0,
    copyField: 'endpoint',
    fields: /^remotes\[\]$/,
    readIn: own('the record’s “remotes”'),
  },
  unchecked: { what: own('whether the endpoint answers'), isAsked: ({ remotes }) => remotes.length > 0 },
  entryName: 'endpoint',
  value: z.number(),
  name: 'endpoint',
  line: 'where',
  existsAs: 'endpoint',
  question: 'reach',
  title: 'Endpoint',
  means:
    'The recorded endpoint introduced itself to Dossier on that date, or asked for credentials or a payment; the value is the HTTP status of that answer.',
  doesNotMean:
    'It does not say that a tool call succeeds, or that the endpoint answers callers elsewhere or at other times.',
  unit: 'HTTP status',
  say: ({ value }) => say`${answerWords(value)} (HTTP status ${value})`,
  method_version: 'endpoint/2',
  ...ofRemotes(({ url, transport, introduction, credentials, payment }, { listing }) => {
    const isRecordedAsSse = listing.remotes.find((remote) => remote.url === url)?.type === 'sse';
    const asked = introduction ? undefined : (payment ?? credentials);
    const passes = asked && mayPass(asked, payment ? 'payment' : 'credentials');
    const [what, none] = payment ? ofPayment : ofCredentials;
    const isOther = introduction && isRecordedAsSse !== (transport === 'sse');
    return {
      value: (introduction ?? payment ?? credentials)?.status ?? null,
      outcome: 'seen',
      ...(asked &&
        passes?.mayPass && {
          ...passes,
          why: say`The endpoint asked for ${what} (HTTP ${asked.status}) without ${none}.`,
        }),
      // If the recorded transport has a temporary fault, the endpoint may answer in the other one.
      ...(introduction && { as_seen: { transport } }),
      ...(isOther && {
        why: isRecordedAsSse
          ? own('The record names the endpoint as sse; it answers as streamable-http.')
          : own('The record names the endpoint as streamable-http; it answers as sse.'),
      }),
    };
  }),
});

/** As the newest check found it, a stored observation or one of a document. */
export const answersNow = ({
  outcome,
  missed,
  missed_since = missed,
}: {
  readonly outcome: Outcome;
  readonly missed?: object | undefined;
  readonly missed_since?: string | object | undefined;
}): boolean => outcome === 'seen' && missed_since === undefined;

const causes: Partial<Record<NonNullable<NoAnswer['cause']>, CheckEnd>> = {
  timeout: 'no_answer_in_time',
  connection: 'no_connection',
  broke_off: 'broken_off',
  certificate: 'invalid_certificate',
};

function endOf({ outcome, status = 0, cause }: NoAnswer): CheckEnd | undefined {
  if (outcome === 'absent') return 'not_there';
  if (!isUnanswered(outcome)) return undefined;
  return (cause && causes[cause]) ?? (status >= 500 ? 'server_error' : 'other_answer');
}

export const endpointAvailability = defineKind({
  kind: 'endpoint.availability',
  value: tallied,
  say: ({ value }) => talliedWords(value),
  line: 'where',
  question: 'reach',
  title: 'Answered checks',
  means:
    'How many of Dossier’s checks the recorded endpoint answered in the 30 and in the 90 days up to that date, and how the other checks ended. It answered a check if it introduced itself, or asked for credentials or a payment.',
  doesNotMean:
    'It does not measure what callers experienced: checks are few, and are made from one place. Checks in which Dossier did not ask the endpoint are not counted. For example, robots.txt may not allow it, or the host may have asked for a pause. Nor are checks that got HTTP 429 (too many requests).',
  method_version: 'availability/3',
  about: endpointAnswers.about,
  isOptional: true,
  isTally: true,
  check: (run) =>
    Promise.all(
      run.listing.remotes.map(async (remote): Promise<Finding<Tallied>> => {
        const endpoint = await run.endpoint(remote);
        const ended = endpoint.result === 'answered' ? 'answered' : endOf(endpoint);
        if (!ended) return { ...withoutAnswer(endpoint as NoAnswer, remote.url), rule: 'rare' };
        return { subject: remote.url, value: null, outcome: 'seen', ended, source: ownProbe };
      }),
    ),
});

export const endpointProtocol = defineKind({
  kind: 'endpoint.protocol',
  value: z.string(),
  say: ({ value }) => code(value),
  line: 'where',
  question: 'reach',
  title: 'Protocol revision',
  means: 'The revision of the Model Context Protocol that the endpoint spoke with Dossier on that date.',
  doesNotMean: 'It does not say that the endpoint follows the whole revision.',
  method_version: 'endpoint/1',
  ...ofRemotes(({ introduction, list, open }) =>
    introduction?.isSpoken
      ? { value: introduction.protocol, outcome: 'seen', ...(open && { open }) }
      : (list as NoAnswer),
  ),
});
