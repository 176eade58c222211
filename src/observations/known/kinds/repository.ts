import { z } from 'zod';
import { parseClaimFile } from '../../../claims/claim.ts';
import { handleWords } from '../../../core/handle.ts';
import { code, day, own, phrase, say } from '../../../core/words.ts';
import { type NoAnswer, noAnswer, notAsked } from '../../../net/answer.ts';
import { defineKind } from '../kind.ts';
import { ofRepository, type RemoteFinding } from './remotes.ts';

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
  // An empty or moved repository stands out like a missing one.
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
