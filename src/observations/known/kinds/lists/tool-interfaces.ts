import { z } from 'zod';
import { asMembers } from '../../../../core/json.ts';
import { code, count, join, listed, own, say } from '../../../../core/words.ts';
import { noAnswer } from '../../../../net/answer.ts';
import { type SurfaceTool, shortNameOf, surfaces } from '../../../asked/endpoint/surface.ts';
import { defineKind, type ShownFinding } from '../../kind.ts';
import { ofRareRemotes } from '../remotes.ts';

const longestAddress = 200;

/** In MCP Apps `_meta.ui.resourceUri`; older tools have `_meta["ui/resourceUri"]`. */
function interfaceOf({ _meta }: SurfaceTool): string | undefined {
  const meta = asMembers(_meta);
  const named = asMembers(meta.ui).resourceUri ?? meta['ui/resourceUri'];
  return typeof named === 'string' && named.startsWith('ui://') ? named.slice(0, longestAddress) : undefined;
}

const withInterface = z.strictObject({ tool: z.string(), resource: z.string() });
/** A stored value may have been shortened. */
const countOfInterfaces = ({ value, details }: ShownFinding<z.infer<typeof withInterface>[]>) =>
  Number(details?.count ?? value.length);

const mostInLine = 3;
const mostInFull = 20;

export const toolsInterfaces = defineKind({
  kind: 'tools.interfaces',
  value: z.array(withInterface),
  line: 'tools',
  saidIn: 'tools',
  question: 'tools',
  title: 'Tools with a user interface (MCP Apps)',
  means:
    'The tools that name a resource with their user interface (`_meta.ui.resourceUri`). A client that supports MCP Apps may show the interface.',
  doesNotMean:
    'Dossier reads no interface and does not declare MCP Apps. An endpoint may name more interfaces to clients that declare MCP Apps.',
  changed: own('Its tools name different user interfaces'),
  say(found) {
    const shown = found.value.slice(0, mostInFull);
    const more = countOfInterfaces(found) - shown.length;
    const said = shown.map(({ tool, resource }) => say`${code(tool)} (${code(resource)})`);
    return join([...said, more > 0 && say`${more} more`], ', ');
  },
  sayInLine(found) {
    const all = countOfInterfaces(found);
    const names = found.value.map(({ tool }) => code(tool));
    return say`${count(all, 'tool')} with a user interface: ${listed(names, mostInLine, all)}`;
  },
  method_version: 'interfaces/1',
  ...ofRareRemotes(({ list }) => {
    if (list.result !== 'listed') return list;
    const value = list.digested.flatMap(({ member }) => {
      const resource = interfaceOf(member);
      return resource === undefined ? [] : [{ tool: shortNameOf(member, surfaces.tools), resource }];
    });
    return value.length > 0
      ? { value, outcome: 'seen', details: { count: value.length } }
      : noAnswer('nothing', own('No tool in the list names a user interface.'));
  }),
});
