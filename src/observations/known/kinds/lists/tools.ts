import { z } from 'zod';
import { asMembers } from '../../../../core/json.ts';
import { code, join, number, own } from '../../../../core/words.ts';
import { type SurfaceTool, surfaces } from '../../../asked/endpoint/surface.ts';
import { defineKind } from '../../kind.ts';
import { ofRemotes } from '../remotes.ts';
import { listedNames, ofList, toListedFinding } from './listed.ts';

/** Clients may decide by these hints whether to ask before a call. */
export function toHints({ annotations }: SurfaceTool): string[] {
  const { readOnlyHint, destructiveHint } = asMembers(annotations);
  return [
    ...(readOnlyHint === true ? ['read-only'] : []),
    ...(destructiveHint === true ? ['destructive'] : []),
  ];
}

export const toolsSurface = defineKind({
  kind: 'tools.surface',
  ...ofList(surfaces.tools),
  unchecked: { what: own('which tools the service lists') },
  entryName: 'tools',
  name: 'tools',
  line: 'tools',
  title: 'Tools it lists',
  means:
    'The SHA-256 Merkle root over the names, titles, descriptions, schemas and MCP annotations of all tools that the endpoint listed to Dossier. The same value means that these members are the same, apart from how an SDK or a revision of the protocol writes them.',
  doesNotMean: 'It does not say what a tool does when it is called; Dossier calls none.',
  changed: own('The endpoint lists different tools'),
  say: ({ details }) => {
    if (!Array.isArray(details?.tools)) return undefined;
    const names = listedNames(details.tools).map((name) => code(name));
    return names.length > 0 ? join(names, ', ') : own('none');
  },
  isList: true,
  method_version: 'tools/2',
  ...ofRemotes((endpoint) => {
    const { list } = endpoint;
    if (list.result !== 'listed') return list;
    const hintsOf = (tool: SurfaceTool) => (toHints(tool).length > 0 ? { hints: toHints(tool) } : {});
    return toListedFinding(surfaces.tools, list, endpoint, hintsOf);
  }),
});

export const toolsCount = defineKind({
  kind: 'tools.count',
  value: z.number(),
  say: ({ value }) => number(value),
  line: 'tools',
  question: 'tools',
  title: 'Number of tools',
  means: 'How many tools the endpoint listed to Dossier.',
  doesNotMean: 'More tools are not better, and callers with credentials may be shown different tools.',
  unit: 'tools',
  method_version: 'tools/1',
  ...ofRemotes(({ list }) =>
    list.result === 'listed' ? { value: list.members.length, outcome: 'seen' } : list,
  ),
});
