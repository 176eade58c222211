import { z } from 'zod';
import { asMembers, isJsonObject, ownMember } from '../../core/json.ts';
import { code, count, listed, own, say, type Words } from '../../core/words.ts';
import { noAnswer } from '../../net/answer.ts';
import { defineKind } from '../kind.ts';
import { ofRareRemotes } from '../remotes.ts';

/** A reversed domain, a slash and a name. */
const identifier = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,9}\/[\w.-]{1,100}$/i;
const longestIdentifier = 250;

const titles = {
  'io.modelcontextprotocol/ui': own('user interfaces, MCP Apps'),
  'io.modelcontextprotocol/skills': own('skills'),
  'io.modelcontextprotocol/tasks': own('tasks'),
  'io.modelcontextprotocol/oauth-client-credentials': own('sign-in by programs'),
  'io.modelcontextprotocol/enterprise-managed-authorization': own('sign-in by an enterprise'),
};

function extensionWords(name: string): Words {
  const title = ownMember(titles, name);
  return title === undefined ? code(name) : say`${code(name)} (${title})`;
}

const mostInLine = 4;

export const endpointExtensions = defineKind({
  kind: 'endpoint.extensions',
  value: z.array(z.string()),
  line: 'tools',
  saidIn: 'tools',
  question: 'reach',
  title: 'Extensions of MCP',
  means:
    'The identifiers in `capabilities.extensions` of the endpoint’s introduction, such as `io.modelcontextprotocol/ui`. An extension is used only if the client declares it too.',
  doesNotMean:
    'Dossier uses no extension except the list of skills, and does not say that an extension works.',
  changed: own('The endpoint declares different extensions'),
  say: ({ value }) => listed(value.map(extensionWords), value.length),
  sayInLine({ value }) {
    const noun = value.length === 1 ? own('extension') : own('extensions');
    return say`declares the ${noun} ${listed(value.map(extensionWords), mostInLine)}`;
  },
  method_version: 'extensions/1',
  ...ofRareRemotes(({ introduction, list }) => {
    if (!introduction)
      return list.result === 'no_answer'
        ? list
        : noAnswer('nothing', own('The endpoint sent no introduction.'));
    const declared = asMembers(introduction.capabilities).extensions;
    const names = isJsonObject(declared) ? Object.keys(declared) : [];
    const value = names.filter((name) => name.length <= longestIdentifier && identifier.test(name)).sort();
    const others = names.length - value.length;
    const why =
      others > 0
        ? say`${count(others, 'declared name')} ${own(others === 1 ? 'is not an identifier and is' : 'are not identifiers and are')} left out.`
        : undefined;
    if (value.length === 0)
      return noAnswer('nothing', why ?? own('The endpoint introduced itself without extensions.'));
    return { value, outcome: 'seen', ...(why && { why }) };
  }),
});
