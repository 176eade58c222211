import { asMembers } from '../../../../core/json.ts';
import { code, join, own, say, type Words } from '../../../../core/words.ts';
import { noAnswer } from '../../../../net/answer.ts';
import type { EndpointAnswer } from '../../../asked/endpoint/conversation.ts';
import {
  type BesideName,
  type Surface,
  type SurfaceMember,
  surfaces,
} from '../../../asked/endpoint/surface.ts';
import { defineKind, type ShownFinding } from '../../kind.ts';
import { ofRareRemotes, withoutAnswer } from '../remotes.ts';
import { listedNames, ofList, toListedFinding } from './listed.ts';
import { listChangeWords } from './member-changes.ts';

const ask = (surface: Surface & { readonly name: BesideName }, toMore: (member: SurfaceMember) => object) =>
  ofRareRemotes((endpoint: EndpointAnswer) => {
    const { list, besides } = endpoint;
    const found = besides[surface.name];
    if (found?.result === 'listed') {
      const finding = toListedFinding(surface, found, endpoint, toMore);
      return { ...finding, details: { ...finding.details, count: found.members.length } };
    }
    // The endpoint declares the list, so the fact says why Dossier lacks it.
    if (found) return withoutAnswer(found);
    return list.result === 'listed' || list.outcome === 'absent'
      ? noAnswer('nothing', say`The endpoint declares no ${surface.title}.`)
      : list;
  });

/** A stored list may have been shortened. */
const countOf = ({ details }: ShownFinding) => Number(details?.count ?? 0);

const mostNamed = 100;

const listWords =
  (surface: Surface, note: (member: unknown) => Words | false = () => false) =>
  (found: ShownFinding): Words => {
    const members = found.details?.[surface.name];
    const shown = (Array.isArray(members) ? members : []).slice(0, mostNamed);
    const said = listedNames(shown).map((name, at) => say`${code(name)}${note(shown[at])}`);
    const all = countOf(found);
    if (said.length === 0) return all === 0 ? own('none') : surface.count(all);
    const more = all > said.length && say`${all - said.length} more`;
    return say`${surface.count(all)}: ${join([...said, more], ', ')}`;
  };

const ofBeside = <const Name extends BesideName>(
  surface: Surface & { readonly name: Name },
  note?: (member: unknown) => Words | false,
  toMore: (member: SurfaceMember) => object = () => ({}),
) => ({
  ...ofList(surface),
  isSeldom: true as const,
  saidIn: 'tools' as const,
  say: listWords(surface, note),
  sayInLine: (found: ShownFinding) => (countOf(found) > 0 ? surface.count(countOf(found)) : undefined),
  ...ask(surface, toMore),
});

export const promptsSurface = defineKind({
  kind: 'prompts.surface',
  ...ofBeside(surfaces.prompts),
  title: 'Prompts it lists',
  means:
    'The SHA-256 Merkle root over the names, titles, descriptions and arguments of all prompts that the endpoint listed to Dossier.',
  doesNotMean: 'It does not say what a prompt contains; Dossier fetches none.',
  changed: own('The endpoint lists different prompts'),
  method_version: 'prompts/1',
});

export const resourcesSurface = defineKind({
  kind: 'resources.surface',
  ...ofBeside(surfaces.resources),
  isPublishedIfSaid: true,
  title: 'Resources it lists',
  means:
    'The SHA-256 Merkle root over the addresses, names, titles, descriptions, media types, audiences and priorities of all resources and resource templates that the endpoint listed to Dossier.',
  doesNotMean:
    'It does not say what a resource contains; Dossier reads none. Lists of documents may change daily.',
  changed: own('The endpoint lists different resources'),
  // Documents come and go. A change is reported only if words changed, since a model may act on words.
  sayChange: (was, now, between) =>
    was.counts?.words ? listChangeWords(surfaces.resources)(was, now, between) : undefined,
  method_version: 'resources/1',
});

const isDynamic = (skill: unknown) => asMembers(skill).files === 'dynamic';

export const skillsSurface = defineKind({
  kind: 'skills.surface',
  ...ofBeside(
    surfaces.skills,
    (skill) => isDynamic(skill) && own(' (files: dynamic)'),
    ({ resources }) => ({
      files: Array.isArray(resources) ? resources.length : resources === 'dynamic' ? 'dynamic' : null,
    }),
  ),
  title: 'Skills it lists',
  means:
    'The SHA-256 Merkle root over all skills that the endpoint listed to Dossier (SEP-2640): the address and frontmatter of each skill, and the address, digest and size of each of its files. A skill whose files are dynamic has no digests.',
  doesNotMean:
    'Dossier fetches no file of a skill, so it does not know whether the files have these digests.',
  changed: own('The endpoint lists different skills'),
  method_version: 'skills/1',
});
