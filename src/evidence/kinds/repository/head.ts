import { defineKind } from '../../observation/kind.ts';
import { ownProbe, repositoryOf } from '../remotes.ts';
import { withoutHead } from './without-head.ts';

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
