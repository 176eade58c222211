import { defineKind } from '../../observation/kind.ts';
import { ofRemotes } from '../remotes.ts';

/** Whether an endpoint asks for credentials before it introduces itself. */
export const accessRequired = defineKind({
  kind: 'auth.required',
  question: 'access',
  title: 'Asks for credentials first',
  means: 'Whether the endpoint answered Dossier’s first messages, sent without credentials, with HTTP 401.',
  doesNotMean:
    'An endpoint that shows its tools to everyone may still ask for credentials when one is called.',
  method_version: 'auth/1',
  applies: ({ remotes }) => remotes.length > 0,
  check: (look) =>
    ofRemotes(look, ({ responses }) => ({
      value: responses.some(({ status }) => status === 401),
      state: 'observed',
    })),
});
