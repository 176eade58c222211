import { defineKind } from '../../observation/kind.ts';
import { ofRemotes } from '../remotes.ts';
import { withholding } from './withholding.ts';

/** Which revision of MCP an endpoint speaks. */
export const endpointProtocol = defineKind({
  kind: 'endpoint.protocol',
  question: 'reach',
  title: 'Protocol revision',
  means: 'The revision of the Model Context Protocol that the endpoint spoke with Dossier on that date.',
  doesNotMean: 'It does not say that the endpoint follows the whole revision.',
  method_version: 'endpoint/1',
  applies: ({ remotes }) => remotes.length > 0,
  check: (look) =>
    ofRemotes(look, (endpoint) =>
      endpoint.protocol === undefined
        ? { value: null, ...(withholding(endpoint) ?? notMcp(endpoint.status)) }
        : { value: endpoint.protocol, state: 'observed' },
    ),
});

const notMcp = (status: number) => ({
  state: 'not_found' as const,
  reason: `The endpoint answered with HTTP status ${status} and no MCP message that Dossier understands.`,
});
