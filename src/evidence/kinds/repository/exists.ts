import { defineKind } from '../../observation/kind.ts';
import { ownProbe, repositoryOf, withoutAnswer } from '../remotes.ts';
import { isNoHead } from './without-head.ts';

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
