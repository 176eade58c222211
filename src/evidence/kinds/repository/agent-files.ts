import { createHash } from 'node:crypto';
import { defineKind } from '../../observation/kind.ts';
import type { Finding } from '../../observation/observation.ts';
import type { FileLook } from '../../observation/repository-look.ts';
import { ownProbe, repositoryOf } from '../remotes.ts';
import { withoutHead } from './without-head.ts';

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
