import type { NoAnswer } from '../../observation/answer.ts';
import { defineKind } from '../../observation/kind.ts';
import { ofRemotes, remotesOf } from '../remotes.ts';

/** Which revision of MCP an endpoint speaks. */
export const endpointProtocol = defineKind({
  kind: 'endpoint.protocol',
  question: 'reach',
  title: 'Protocol revision',
  means: 'The revision of the Model Context Protocol that the endpoint spoke with Dossier on that date.',
  doesNotMean: 'It does not say that the endpoint follows the whole revision.',
  method_version: 'endpoint/1',
  about: remotesOf,
  check: (look) =>
    ofRemotes(look, ({ introduction, list }) =>
      introduction ? { value: introduction.protocol, state: 'observed' } : (list as NoAnswer),
    ),
});
