import { createHash } from 'node:crypto';
import type { NoAnswer } from '../../net/answer.ts';
import { defineKind, type FileLook, type NoHead } from '../kind.ts';
import type { Finding } from '../observation.ts';
import { ownProbe, repositoryOf, withoutAnswer } from '../remotes.ts';

/** Whether a repository was asked and has no head to look at. */
const isNoHead = (look: { readonly result: string }): look is NoHead =>
  /^(?:gone|empty|moved)$/.test(look.result);

/** A fact about the head of a repository that has none, or that could not be asked. */
const withoutHead = (head: NoHead | NoAnswer, repository: string): Finding =>
  isNoHead(head)
    ? {
        subject: repository,
        value: null,
        state: 'not_found',
        reason: head.reason,
        source: ownProbe,
        source_url: repository,
      }
    : withoutAnswer(head, repository);

/** Settings that editors and agents read when a repository is opened, and what in them starts commands without being asked. */
const agentFiles: readonly (readonly [path: string, automatic: RegExp | undefined])[] = [
  ['.claude/settings.json', /"hooks"\s*:/],
  ['.vscode/tasks.json', /"runOn"\s*:\s*"folderOpen"/],
  ['.cursor/mcp.json', undefined],
  ['.cursor/hooks.json', /"hooks"\s*:/],
  [
    '.devcontainer/devcontainer.json',
    /"(?:initialize|onCreate|updateContent|postCreate|postStart|postAttach)Command"\s*:/,
  ],
];

/** A file that is there; without a digest if it is no text of at most 16 KiB. */
interface FoundFile {
  readonly path: string;
  readonly sha256?: string;
  readonly starts_commands?: boolean;
}

function toFound(path: string, automatic: RegExp | undefined, file: FileLook): FoundFile {
  if (file.result !== 'file') return { path };
  const sha256 = createHash('sha256').update(file.text).digest('hex');
  return { path, sha256, ...(automatic && { starts_commands: automatic.test(file.text) }) };
}

function toSentence(files: readonly FoundFile[]): string {
  const named = files.map(({ path, starts_commands }) =>
    starts_commands ? `${path} (names commands that start by themselves)` : path,
  );
  return `In the repository: ${named.join(', ')}.`;
}

/** In no repository: a host that has it sends the same for every path, as a captive portal does. */
const noFile = '.dossier/is-in-no-repository';

const anything = (subject: string): Finding => ({
  ...{ subject, value: null, state: 'unreachable', source: ownProbe },
  reason: 'The host of the repository’s files answered also for a file that is in no repository.',
});

const noneFound = 'None of the five files that Dossier looks for is at the head of the repository.';

/** Files of a repository that editors and agents act on by themselves. */
export const repositoryAgentFiles = defineKind({
  kind: 'repository.agent_files',
  question: 'code',
  title: 'Files that agents and editors act on',
  means:
    'How many of five settings files are at the head of the repository (.claude/settings.json, .vscode/tasks.json, .cursor/mcp.json, .cursor/hooks.json, .devcontainer/devcontainer.json), with their digests, and whether their text names commands that start by themselves.',
  doesNotMean:
    'Such files are common and mostly harmless; Dossier does not judge the commands. Other files are not looked for.',
  unit: 'files',
  method_version: 'agent-files/1',
  about: repositoryOf,
  isOptional: true,
  async check(look) {
    const { repository } = look.listing;
    if (!repository) return [];
    const head = await look.head();
    if (head.result !== 'head') return [withoutHead(head, repository)];
    const files: FoundFile[] = [];
    for (const [path, automatic] of agentFiles) {
      const file = await look.file(path);
      if (!('commit' in file)) return [withoutHead(file, repository)];
      if (file.result !== 'absent') files.push(toFound(path, automatic, file));
    }
    if (files.length > 0) {
      const file = await look.file(noFile);
      if (!('commit' in file)) return [withoutHead(file, repository)];
      if (file.result !== 'absent') return [anything(repository)];
    }
    // The commit is no part of the fact: a later one with the same files is no change.
    const seen = {
      as_seen: { commit: head.commit },
      subject: repository,
      source: ownProbe,
      source_url: repository,
    };
    if (files.length === 0) return [{ value: null, state: 'not_found', reason: noneFound, ...seen }];
    const reason = toSentence(files);
    return [{ value: files.length, state: 'observed', reason, details: { files }, ...seen }];
  },
});

/** Whether the recorded repository is where the listing says. */
export const repositoryExists = defineKind({
  kind: 'repository.exists',
  question: 'publisher',
  title: 'Recorded repository',
  means:
    'Whether the host of the recorded repository answers for it without credentials: there, empty (no commits), moved (a redirect to another path) or gone.',
  doesNotMean:
    'A repository that is gone may have become private. It does not say what the repository contains.',
  method_version: 'repository/1',
  about: repositoryOf,
  isOptional: true,
  async check(look) {
    const { repository } = look.listing;
    if (!repository) return [];
    const head = await look.head();
    const source = { subject: repository, source: ownProbe, source_url: repository };
    if (head.result === 'head') return [{ value: 'there', state: 'observed', ...source }];
    if (!isNoHead(head)) return [withoutAnswer(head, repository)];
    const { result: value, reason, moved_to } = head;
    const details = moved_to === undefined ? undefined : { moved_to };
    const state = value === 'gone' ? 'not_found' : 'observed';
    return [{ value, state, reason, ...(details && { details }), ...source }];
  },
});

/** The commit at the head of the recorded repository. */
export const repositoryHead = defineKind({
  kind: 'repository.head',
  question: 'upkeep',
  title: 'Newest commit of the repository',
  means: 'The commit that the default branch of the recorded repository pointed to on that date.',
  doesNotMean: 'It does not say that the service runs this commit.',
  shows: ({ value, details }) =>
    `${String(value).slice(0, 12)}${details?.branch ? ` of ${details.branch}` : ''}`,
  method_version: 'repository/1',
  about: repositoryOf,
  async check(look) {
    const { repository } = look.listing;
    if (!repository) return [];
    const head = await look.head();
    if (head.result !== 'head') return [withoutHead(head, repository)];
    return [
      {
        subject: repository,
        value: head.commit,
        state: 'observed',
        ...(head.branch && { details: { branch: head.branch } }),
        source: ownProbe,
        source_url: repository,
      },
    ];
  },
});

/** When the commit at the head of the recorded repository was made. */
export const repositoryLastCommit = defineKind({
  kind: 'repository.last_commit',
  question: 'upkeep',
  title: 'Last commit of the repository',
  means: 'The date in the newest commit of the recorded repository’s default branch.',
  doesNotMean:
    'The date is the one that the committer’s machine wrote. It does not say what the commit changed, or that a service without commits is not kept up.',
  unit: 'date',
  method_version: 'commit/1',
  about: repositoryOf,
  isOptional: true,
  async check(look) {
    const { repository } = look.listing;
    if (!repository) return [];
    const found = await look.commit();
    if (found.result !== 'commit') return [withoutHead(found, repository)];
    const { commit, committed_at } = found;
    return [
      {
        subject: repository,
        value: committed_at,
        state: 'observed',
        details: { commit },
        source: ownProbe,
        source_url: repository,
      },
    ];
  },
});
