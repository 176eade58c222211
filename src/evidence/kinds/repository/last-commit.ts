import { defineKind } from '../../observation/kind.ts';
import { ownProbe, repositoryOf } from '../remotes.ts';
import { withoutHead } from './without-head.ts';

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
