import { z } from 'zod';
import { asMembers } from '../../../core/json.ts';
import { code, codes, join, own, say, type Words } from '../../../core/words.ts';
import { noAnswer } from '../../../net/answer.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import { shortNameOf, surfaces } from '../../endpoint/surface.ts';
import { membersOf, textsIn, whyNotWhole } from '../../endpoint/texts.ts';
import { defineKind, type ShownFinding } from '../../kind.ts';
import { ofRareRemotes } from '../../remotes.ts';
import table from './credential-files.json' with { type: 'json' };

/**
 * Files and folders that hold credentials, each by the end of its path with the page that says so, and what
 * in such a folder is public. A file that is not there is not looked for.
 */
const files = new Set(table.files.map(({ path }) => path));
const folders = new Set(table.folders.map(({ path }) => path));
const publicFiles = new Set(table.public);
const mostParts = Math.max(...[...files, ...folders].map((path) => path.split('/').length));

/** One run of these after another takes linear time, whatever the text. */
const paths = /[\w.~$/\\-]+/g;
const longestShown = 100;
/** Of a longer run, its end. */
const longestRead = 300;

/** Every path of the table has one of these, so that words are passed over at once. */
const mayBeNamed = (run: string) => run.includes('.') || run.includes('_');

/** A run without the full stops of a sentence, and its parts in the form of the table. */
function readRun(run: string) {
  let end = run.length;
  while (run[end - 1] === '.') end -= 1;
  const written = run.slice(0, end);
  const read = written.slice(-longestRead);
  return { written, parts: read.replaceAll('\\', '/').toLowerCase().split('/').filter(Boolean) };
}

/** The ends of a path that lead up to a part, the shortest first. */
const endsAt = (parts: readonly string[], at: number): string[] =>
  Array.from({ length: Math.min(mostParts, at + 1) }, (_, more) => parts.slice(at - more, at + 1).join('/'));

/** Which file or folder of the table a path names. */
function namedBy(parts: readonly string[]): string | undefined {
  const file = endsAt(parts, parts.length - 1).find((end) => files.has(end));
  if (file !== undefined) return file;
  const last = parts.at(-1) ?? '';
  const isPublic = last.endsWith('.pub') || publicFiles.has(last);
  return isPublic ? undefined : parts.flatMap((_, at) => endsAt(parts, at)).find((end) => folders.has(end));
}

/** The files that texts name, each once, as it is written there first. */
function findFiles(texts: Iterable<readonly [place: string, text: string]>): string[] {
  const found = new Map<string, string>();
  for (const [, text] of texts)
    for (const [run] of text.matchAll(paths)) {
      if (!mayBeNamed(run)) continue;
      const { written, parts } = readRun(run);
      const file = namedBy(parts);
      if (file !== undefined && !found.has(file))
        found.set(file, written.length > longestShown ? file : written);
    }
  return [...found.values()].sort();
}

/** Every text for models that names such files, in the order of the lists; instructions have no name. */
const textsWithFiles = (endpoint: EndpointAnswer) =>
  [
    ...membersOf(endpoint).map(({ surface, member }) => ({
      of: surface,
      name: shortNameOf(member, surfaces[surface]),
      files: findFiles(textsIn(member, '')),
    })),
    {
      of: 'instructions' as const,
      name: '',
      files: findFiles([['', endpoint.introduction?.instructions ?? '']]),
    },
  ].filter((one) => one.files.length > 0);

const named = z.strictObject({
  of: z.enum(['tools', 'prompts', 'resources', 'skills', 'instructions']),
  name: z.string(),
  files: z.array(z.string()),
});
type Named = z.infer<typeof named>;

const nouns = {
  tools: own('The text of the tool'),
  prompts: own('The text of the prompt'),
  resources: own('The text of the resource'),
  skills: own('The text of the skill'),
} as const;

const mostFiles = 5;

/** Which files a text names, and how many more there are of all that it names. */
function namesOf({ of, name, files: stored }: Named, all: number): Words {
  const shown = stored.slice(0, mostFiles);
  const more = all - shown.length;
  const said = more > 0 ? say`${codes(shown)} and ${more} more` : codes(shown);
  return of === 'instructions'
    ? say`The instructions for models name files that often hold credentials: ${said}`
    : say`${nouns[of]} ${code(name)} names files that often hold credentials: ${said}`;
}

const mostSaid = 3;

/**
 * What the first texts name, and how many more there are. A long value is stored shortened, so the details
 * count what was in it.
 */
function saidOf(value: readonly Named[], details: ShownFinding['details']): Words {
  const { texts, files: counts } = asMembers(details);
  const shown = value.slice(0, mostSaid);
  const said = shown.map((one, at) =>
    namesOf(one, Number((Array.isArray(counts) ? counts[at] : undefined) ?? one.files.length)),
  );
  const more = Number(texts ?? value.length) - shown.length;
  const others = more > 0 ? [say`So do ${more} more of its texts`] : [];
  return join([...said, ...others], '. ');
}

/** Files with credentials that texts for models name. */
export const toolsCredentialFiles = defineKind({
  kind: 'tools.credential_files',
  value: z.array(named),
  line: 'tools',
  question: 'tools',
  title: 'Files with credentials named in texts for models',
  means:
    'Which of the tools, prompts, resources, skills and instructions that the endpoint sent name a file that often holds credentials, such as `~/.aws/credentials`, from a closed list with the source of each.',
  doesNotMean:
    'A service may say for good reasons where it reads its own credentials, or that it does not. A file that the list does not have is not found.',
  changed: own('Its texts for models name other files that often hold credentials'),
  say: ({ value, details }) => saidOf(value, details),
  standsOutAs: 'credential_files',
  sayStandsOut({ value, details, subject = '', by, isOnly }) {
    const at = isOnly ? own('') : say`At ${code(subject)}: `;
    return say`${at}${saidOf(value, details)}${by}`;
  },
  method_version: 'credential-files/1',
  ...ofRareRemotes((endpoint) => {
    const found = textsWithFiles(endpoint);
    const why = whyNotWhole(endpoint);
    if (found.length > 0)
      return {
        value: found,
        outcome: 'seen',
        details: { texts: found.length, files: found.slice(0, mostSaid).map(({ files: all }) => all.length) },
        ...(why && { rule: 'part' }),
      };
    return (
      why ??
      noAnswer('nothing', own('The endpoint’s texts for models name no file that is in Dossier’s list.'))
    );
  }),
});
