import { defineKind } from '../../observation/kind.ts';
import { ofRemotes } from '../remotes.ts';

/** Whether an endpoint answered at all. */
export const endpointAnswers = defineKind({
  kind: 'endpoint.answers',
  question: 'reach',
  title: 'Answers requests',
  means: 'The recorded endpoint sent an HTTP response to Dossier on that date; the value is its status.',
  doesNotMean:
    'It does not say that a call of a tool succeeds, or that the endpoint answers elsewhere or at other times.',
  unit: 'HTTP status',
  shows: ({ value }) => `with HTTP status ${value}`,
  method_version: 'endpoint/1',
  check: (look) => ofRemotes(look, ({ status }) => ({ value: status, state: 'observed' })),
});
