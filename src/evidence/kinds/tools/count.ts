import { defineKind } from '../../observation/kind.ts';
import { ofRemotes, remotesOf } from '../remotes.ts';
import { cutNote } from './surface.ts';

/** How many tools an endpoint lists. */
export const toolsCount = defineKind({
  kind: 'tools.count',
  question: 'tools',
  title: 'Number of tools',
  means: 'How many tools the endpoint listed to Dossier.',
  doesNotMean: 'More tools are not better, and callers with credentials may be shown others.',
  unit: 'tools',
  method_version: 'tools/1',
  about: remotesOf,
  check: (look) =>
    ofRemotes(look, ({ list }) =>
      list.result === 'tools' ? { value: list.tools.length, state: 'observed', ...cutNote(list) } : list,
    ),
});
