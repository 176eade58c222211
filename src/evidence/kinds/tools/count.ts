import { defineKind } from '../../observation/kind.ts';
import { withholding } from '../endpoint/withholding.ts';
import { ofRemotes } from '../remotes.ts';

/** How many tools an endpoint lists. */
export const toolsCount = defineKind({
  kind: 'tools.count',
  question: 'tools',
  title: 'Number of tools',
  means: 'How many tools the endpoint listed to Dossier.',
  doesNotMean: 'More tools are not better, and callers with credentials may be shown others.',
  unit: 'tools',
  method_version: 'tools/1',
  applies: ({ remotes }) => remotes.length > 0,
  check: (look) =>
    ofRemotes(look, (endpoint) =>
      endpoint.tools
        ? { value: endpoint.tools.length, state: 'observed' }
        : {
            value: null,
            state: 'not_found',
            reason: 'The endpoint sent no list of tools that Dossier could read.',
            ...withholding(endpoint),
          },
    ),
});
