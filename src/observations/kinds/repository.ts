import { hash } from 'node:crypto';
import { z } from 'zod';
import { parseClaimFile } from '../../claims/claim.ts';
import { handleWords } from '../../core/handle.ts';
import { code, day, join, ours, own, phrase, say } from '../../core/words.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import { type NoAnswer, noAnswer, notAsked } from '../../net/answer.ts';
import { defineKind } from '../kind.ts';
import { ofRepository, type RemoteFinding } from '../remotes.ts';

const hooks = /"hooks"\s*:\s*\{\s*"/;

/**
 * Files that editors and agents read when a repository is opened. A pattern finds commands that start by
 * themselves.
 */
const agentFiles: readonly (readonly [path: string, automatic: RegExp | undefined])[] = [
  ['.claude/settings.json', hooks],
  ['.vscode/tasks.json', /"runOn"\s*:\s*"folderOpen"/],
  ['.vscode/settings.json', undefined],
  ['.cursor/mcp.json', undefined],
  ['.cursor/hooks.json', hooks],
  [
    '.devcontainer/devcontainer.json',
    /"(?:initialize|onCreate|updateContent|postCreate|postStart|postAttach)Command"\s*:/,
  ],
  ['.gemini/settings.json', hooks],
  ['.mcp.json', undefined],
  ['AGENTS.md', undefined],
];

/** The result has no digest if the file is an LFS pointer, is larger than 16 KiB, or is not text. */
function toFound(path: string, automatic: RegExp | undefined, text: string | undefined) {
  return {
    path,
    ...(text !== undefined && { sha256: hash('sha256', text) }),
    starts_commands: automatic?.test(text ?? '') === true,
  };
}

const anything = noAnswer(
  'otherwise',
  own('The host of the repository’s files returned something even for a file that is in no repository.'),
);

const noneFound = own('None of the nine files that Dossier looks for is at the head of the repository.');

export const repositoryAgentFiles = defineKind({
  kind: 'repository.agent_files',
  value: z.strictObject({
    files: z.array(z.string()),
    /** The files whose text names commands that start by themselves. */
    starts_commands: z.array(z.string()),
    /** SHA-256 of `{ files: details.files }` as RFC 8785 JSON. */
    sha256: z.string(),
  }),
  say({ value: { files, starts_commands, sha256 } }) {
    const named = files.map((path) =>
      starts_commands.includes(path)
        ? say`${code(path)} (names commands that start by themselves)`
        : code(path),
    );
    return say`${join(named, ', ')}; SHA-256 ${ours(sha256.slice(0, 12))}`;
  },
  name: 'agent files',
  isSeldom: true,
  question: 'code',
  title: 'Files that agents and editors act on',
  means:
    'Which of nine files are at the head of the repository, and one digest of the files that are there. It is also said which of these files name commands that start by themselves. The nine files are .claude/settings.json, .vscode/tasks.json, .vscode/settings.json, .cursor/mcp.json, .cursor/hooks.json, .devcontainer/devcontainer.json, .gemini/settings.json, .mcp.json and AGENTS.md.',
  doesNotMean:
    'Such files are common, and Dossier does not judge their commands. Dossier does not look for other files.',
  method_version: 'agent-files/3',
  isOptional: true,
  ...ofRepository(async (run) => {
    const head = await run.head();
    if (head.result !== 'head') return head;
    const files: ReturnType<typeof toFound>[] = [];
    for (const [path, automatic] of agentFiles) {
      const file = await run.file(path);
      if (!('commit' in file)) return file;
      const text = file.result === 'file' ? file.text : undefined;
      if (file.result !== 'absent') files.push(toFound(path, automatic, text));
    }
    if (files.length > 0) {
      // A captive portal answers for every path, even for this file, which is in no repository.
      const file = await run.file('.dossier/is-in-no-repository');
      if (!('commit' in file)) return file;
      if (file.result !== 'absent') return anything;
    }
    // The commit is no part of the value, so a later commit with the same files is no change.
    const as_seen = { commit: head.commit };
    if (files.length === 0) return { value: null, outcome: 'nothing', why: noneFound, as_seen };
    const value = {
      files: files.map(({ path }) => path),
      starts_commands: files.filter((one) => one.starts_commands).map(({ path }) => path),
      sha256: canonicalDigest({ files }),
    };
    return { value, outcome: 'seen', details: { files }, as_seen };
  }),
});

export const repositorySupersededBy = defineKind({
  kind: 'repository.superseded_by',
  value: z.string(),
  question: 'upkeep',
  title: 'Replaced by',
  means:
    'The listing that replaces all others with this repository. A line “superseded-by” in the claim file at the head of the recorded repository names it.',
  doesNotMean:
    'Somebody who can write to the repository wrote the line; Dossier has not asked the publisher of the other listing.',
  changed: own('Its repository names a different listing as its replacement'),
  say: ({ value, details }) =>
    details?.isThis ? own('this listing; it replaces the others with this repository') : code(value),
  standsOutAs: 'superseded',
  sayStandsOut: ({ value, details, by }) =>
    details?.isThis
      ? undefined
      : say`The recorded repository names ${handleWords(value)} in place of this listing${by}`,
  method_version: 'claim-file/1',
  isOptional: true,
  ...ofRepository(async (run) => {
    const file = await run.file(run.claimFile);
    if (!('commit' in file)) return file;
    const parsed = file.result === 'file' ? parseClaimFile(file.text) : undefined;
    if (file.result === 'unreadable' || parsed === 'too_large')
      return notAsked(
        own(
          'The claim file of the repository is larger than Dossier reads, is not text, or is an LFS pointer.',
        ),
      );
    const value = parsed?.supersededBy;
    if (value === undefined)
      return noAnswer(
        'nothing',
        own('The repository has no claim file, or its claim file has no line “superseded-by”.'),
      );
    const isThis = value.toLowerCase() === run.listing.handle.toLowerCase();
    return { value, outcome: 'seen', ...(isThis && { details: { isThis } }) };
  }, true),
});

const existence = z.strictObject({
  state: z.enum(['there', 'empty', 'moved']),
  /** The path to which the host redirects. */
  moved_to: z.string().optional(),
});

export const repositoryExists = defineKind({
  kind: 'repository.exists',
  entryName: 'repository',
  value: existence,
  line: 'whose',
  isLocked: true,
  existsAs: 'repository',
  standsOutAs: 'not_there',
  // A repository that is empty or has moved stands out in the same way as a missing one.
  sayStandsOut: ({ value: { state }, reason, by }) =>
    state === 'there' || !reason ? undefined : say`${phrase(reason)}${by}`,
  question: 'publisher',
  title: 'Public repository',
  means:
    'Whether the host shows the recorded repository without credentials. The value is there, empty (no commits) or moved (a redirect to another path).',
  doesNotMean:
    'A repository that is not there may have become private. Its state does not say what the repository contains.',
  say({ value: { state, moved_to = '' } }) {
    if (state === 'moved') return say`at another address, ${code(moved_to)}`;
    return state === 'empty' ? own('yes, without a commit') : own('yes');
  },
  method_version: 'repository/2',
  isOptional: true,
  ...ofRepository(async (run): Promise<RemoteFinding<z.infer<typeof existence>> | NoAnswer> => {
    const head = await run.head();
    if (head.result === 'head') return { value: { state: 'there' }, outcome: 'seen' };
    return head.there ? { value: head.there, outcome: 'seen', why: head.why } : head;
  }),
});

export const repositoryHead = defineKind({
  kind: 'repository.head',
  value: z.strictObject({ commit: z.string(), branch: z.string().optional() }),
  question: 'upkeep',
  title: 'Newest commit of the repository',
  means: 'The commit that the default branch of the recorded repository pointed to on that date.',
  doesNotMean: 'It does not say that the service runs this commit.',
  say({ value: { commit, branch } }) {
    const short = code(commit.slice(0, 12));
    return branch === undefined ? short : say`${short} of ${code(branch)}`;
  },
  method_version: 'repository/2',
  ...ofRepository(async (run) => {
    const head = await run.head();
    if (head.result !== 'head') return head;
    const { commit, branch } = head;
    return { value: { commit, ...(branch && { branch }) }, outcome: 'seen' };
  }),
});

export const repositoryLastCommit = defineKind({
  kind: 'repository.last_commit',
  unchecked: {
    what: own('when the recorded repository last changed'),
    isAsked: ({ repository_key }) => repository_key !== undefined,
  },
  value: z.string(),
  say: ({ value }) => day(value),
  name: 'last commit',
  saidIn: 'kept_up',
  sayInLine: ({ value }) => say`last commit ${day(value)}`,
  question: 'upkeep',
  title: 'Last commit of the repository',
  means: 'The date in the newest commit of the recorded repository’s default branch.',
  doesNotMean:
    'The committer’s machine wrote the date. The date does not say what the commit changed. A service without new commits may still be kept up.',
  unit: 'date',
  method_version: 'commit/1',
  isOptional: true,
  ...ofRepository(async (run) => {
    const found = await run.commit();
    if (found.result !== 'commit') return found;
    return { value: found.committed_at, outcome: 'seen', details: { commit: found.commit } };
  }),
});
