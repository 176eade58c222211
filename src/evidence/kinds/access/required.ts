import { defineKind } from '../../observation/kind.ts';
import { ofRemotes, remotesOf } from '../remotes.ts';

/** Whether an endpoint asks for credentials before it introduces itself. */
export const accessRequired = defineKind({
  kind: 'auth.required',
  question: 'access',
  title: 'Asks for credentials first',
  means:
    'Whether the endpoint asked for credentials when Dossier asked it without any what it is and which tools it has: no, if it introduced itself or asked for a payment.',
  doesNotMean:
    'An endpoint that shows its tools to everyone may still ask for credentials when one is called.',
  method_version: 'auth/2',
  about: remotesOf,
  check: (look) =>
    ofRemotes(look, ({ credentials, list }) =>
      credentials || list.result !== 'unreachable'
        ? { value: credentials !== undefined, state: 'observed' }
        : list,
    ),
});
