import { z } from 'zod';
import { asMembers } from '../../../../core/json.ts';
import {
  code,
  codes,
  count,
  join,
  listed,
  number,
  own,
  quote,
  say,
  type Words,
} from '../../../../core/words.ts';
import { noAnswer } from '../../../../net/answer.ts';
import type { EndpointAnswer } from '../../../asked/endpoint/conversation.ts';
import { shortNameOf, surfaces } from '../../../asked/endpoint/surface.ts';
import { membersOf, textsIn, whyNotWhole } from '../../../asked/endpoint/texts.ts';
import { defineKind, type ShownFinding } from '../../kind.ts';
import { ofRareRemotes } from '../remotes.ts';
import table from './credential-files.json' with { type: 'json' };

/** `public` are files in such folders that are not secret. */
const files = new Set(table.files.map(({ path }) => path));
const folders = new Set(table.folders.map(({ path }) => path));
const publicFiles = new Set(table.public);
const mostParts = Math.max(...[...files, ...folders].map((path) => path.split('/').length));

/** Matching takes linear time on any text. */
const paths = /[\w.~$/\\-]+/g;
const longestShown = 100;
const longestRead = 300;

const mostAround = 100;
const mostSentences = 3;
const sentenceEnd = /(?<=[.!?]["'”)\]]?)\s+(?=\p{Lu})|(?<=[。！？])|[\n\r]+/u;

function sentenceAround(text: string, start: number, end: number): string {
  const first = Math.max(0, start - mostAround);
  const last = Math.min(text.length, end + mostAround);
  const before = text.slice(first, start).split(sentenceEnd).at(-1) ?? '';
  const [after = ''] = text.slice(end, last).split(sentenceEnd);
  const isCutBefore = first > 0 && before.length === start - first;
  const isCutAfter = last < text.length && after.length === last - end;
  const from = isCutBefore ? `… ${before.replace(/^\S*\s?/, '')}` : before;
  const to = isCutAfter ? `${after.replace(/\s?\S*$/, '')} …` : after;
  const hasWords = /\p{L}/u.test(`${from} ${to}`.replaceAll(/\S*[\\/._]\S+/g, ''));
  return hasWords ? `${from}${text.slice(start, end)}${to}`.trim().toWellFormed() : '';
}

function readRun(run: string) {
  let end = run.length;
  while (run[end - 1] === '.') end -= 1;
  const written = run.slice(0, end);
  const read = written.slice(-longestRead);
  return { written, parts: read.replaceAll('\\', '/').toLowerCase().split('/').filter(Boolean) };
}

const endsAt = (parts: readonly string[], at: number): string[] =>
  Array.from({ length: Math.min(mostParts, at + 1) }, (_, more) => parts.slice(at - more, at + 1).join('/'));

function namedBy(parts: readonly string[]): string | undefined {
  const file = endsAt(parts, parts.length - 1).find((end) => files.has(end));
  if (file !== undefined) return file;
  const last = parts.at(-1) ?? '';
  const isPublic = last.endsWith('.pub') || publicFiles.has(last);
  return isPublic ? undefined : parts.flatMap((_, at) => endsAt(parts, at)).find((end) => folders.has(end));
}

const mostMentions = 100;

/** `places` counts all sentences, so that a harmless one does not hide those that are not quoted. */
function findFiles(texts: Iterable<readonly [place: string, text: string]>) {
  const found = new Map<
    string,
    { readonly written: string; readonly sentences: Set<string>; mentions: number }
  >();
  for (const [, text] of texts)
    for (const { 0: run, index } of text.matchAll(paths)) {
      if (!run.includes('.') && !run.includes('_')) continue;
      const { written, parts } = readRun(run);
      const file = namedBy(parts);
      if (file === undefined) continue;
      const shown = written.length > longestShown ? file : written;
      const one = found.get(file) ?? { written: shown, sentences: new Set<string>(), mentions: 0 };
      found.set(file, one);
      const end = index + written.length;
      one.mentions += 1;
      if (one.mentions <= mostMentions)
        one.sentences.add(sentenceAround(text, Math.max(index, end - longestShown), end));
    }
  const sorted = [...found.values()].sort((a, b) => (a.written < b.written ? -1 : 1));
  const sentences = new Set(sorted.flatMap((one) => [...one.sentences]).filter(Boolean));
  return {
    files: sorted.map(({ written }) => written),
    sentences: [...sentences].slice(0, mostSentences),
    places: sentences.size,
    hasMore: sorted.some(({ mentions }) => mentions > mostMentions),
  };
}

const textsWithFiles = (endpoint: EndpointAnswer) =>
  [
    ...membersOf(endpoint).map(({ surface, member }) => ({
      named: { of: surface, name: shortNameOf(member, surfaces[surface]) },
      found: findFiles(textsIn(member, '')),
    })),
    {
      named: { of: 'instructions' as const, name: '' },
      found: findFiles([['', endpoint.introduction?.instructions ?? '']]),
    },
  ].filter(({ found }) => found.files.length > 0);

const named = z.strictObject({
  of: z.enum(['tools', 'prompts', 'resources', 'skills', 'instructions']),
  name: z.string(),
  files: z.array(z.string()),
});
type NamedFiles = z.infer<typeof named>;

const nouns = {
  tools: own('The text of the tool'),
  prompts: own('The text of the prompt'),
  resources: own('The text of the resource'),
  skills: own('The text of the skill'),
} as const;

const mostFiles = 5;

function credentialNames({ of, name, files: stored }: NamedFiles, all: number, isGone: boolean): Words {
  const files = say`files that often hold credentials: ${codes(stored, mostFiles, all)}`;
  if (of === 'instructions')
    return say`The instructions for models ${own(isGone ? 'named' : 'name')} ${files}`;
  return say`${nouns[of]} ${code(name)} ${own(isGone ? 'named' : 'names')} ${files}`;
}

const mostSaid = 3;

function quotedWords(sentences: readonly unknown[], places: number, hasMore: boolean): Words {
  if (sentences.length === 0) return say``;
  const more = places - sentences.length;
  const counted = say`${number(more)} more ${more === 1 ? own('place') : own('places')}`;
  const others = hasMore ? [own('many more places')] : more > 0 ? [counted] : [];
  return say`, in ${listed([...sentences.map((one) => quote(String(one))), ...others])}`;
}

const fileList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A stored value may have been shortened. */
function saidOf(
  value: readonly NamedFiles[],
  details: ShownFinding['details'],
  mostQuoted: number,
  isGone = false,
): Words {
  const { texts, files: counts, sentences, places, many_places } = asMembers(details);
  const shown = value.slice(0, mostSaid);
  const said = shown.map((one, at) => {
    const quoted = at < mostQuoted ? fileList(fileList(sentences)[at]).slice(0, mostQuoted) : [];
    const hasMore = fileList(many_places)[at] === true;
    const said = quotedWords(quoted, Number(fileList(places)[at] ?? quoted.length), hasMore);
    return say`${credentialNames(one, Number(fileList(counts)[at] ?? one.files.length), isGone)}${said}`;
  });
  const more = Number(texts ?? value.length) - shown.length;
  const others = say`${count(more, 'more text')} for models ${own(isGone ? 'named' : more === 1 ? 'names' : 'name')} such files`;
  return join([...said, more > 0 && others], '. ');
}

export const toolsCredentialFiles = defineKind({
  kind: 'tools.credential_files',
  value: z.array(named),
  line: 'tools',
  question: 'tools',
  title: 'Files with credentials named in texts for models',
  means:
    'Which of the tools, prompts, resources, skills and instructions that the endpoint sent name a file that often holds credentials, such as `~/.aws/credentials`. Dossier looks for the files of a closed list, which has a reference for each file.',
  doesNotMean:
    'A service may have good reasons to say where it reads its own credentials, or that it reads none. Files that are not in the list are not found.',
  changed: own('Its texts for models name different files that often hold credentials'),
  say: ({ value, details }) => saidOf(value, details, mostSentences),
  sayWas: ({ value, details }) => saidOf(value, details, mostSentences, true),
  // What is named now stands out by itself, so that only the end of it is told as a change.
  sayChange: () => undefined,
  standsOutAs: 'credential_files',
  sayStandsOut({ value, details, subject = '', by, isOnly }) {
    const at = !isOnly && say`At ${code(subject)}: `;
    return say`${at}${saidOf(value, details, 1)}${by}`;
  },
  method_version: 'credential-files/1',
  ...ofRareRemotes((endpoint) => {
    const found = textsWithFiles(endpoint);
    const why = whyNotWhole(endpoint);
    if (found.length > 0)
      return {
        value: found.map(({ named: text, found: { files: all } }) => ({ ...text, files: all })),
        outcome: 'seen',
        details: {
          texts: found.length,
          files: found.slice(0, mostSaid).map((one) => one.found.files.length),
          sentences: found.slice(0, mostSaid).map((one) => one.found.sentences),
          places: found.slice(0, mostSaid).map((one) => one.found.places),
          ...(found.some((one) => one.found.hasMore) && {
            many_places: found.slice(0, mostSaid).map((one) => one.found.hasMore),
          }),
        },
        ...(why && { rule: 'unsure' }),
      };
    return (
      why ??
      noAnswer(
        'nothing',
        own('The endpoint’s texts for models name no file in Dossier’s list of files with credentials.'),
      )
    );
  }),
});
