import { defineKind } from '../../observation/kind.ts';
import { ofRemotes, remotesOf } from '../remotes.ts';

/** Whether an endpoint answered at all. */
export const endpointAnswers = defineKind({
  kind: 'endpoint.answers',
  question: 'reach',
  title: 'Answers requests',
  means:
    'The recorded endpoint introduced itself to Dossier on that date, or asked for credentials or a payment; the value is the HTTP status in which it did.',
  doesNotMean:
    'It does not say that a call of a tool succeeds, or that the endpoint answers elsewhere or at other times.',
  unit: 'HTTP status',
  shows: ({ value }) => `with HTTP status ${value}`,
  method_version: 'endpoint/2',
  about: remotesOf,
  check: (look) =>
    ofRemotes(look, ({ introduction, credentials, payment }) => ({
      value: (introduction ?? credentials ?? payment)?.status ?? null,
      state: 'observed',
    })),
});
