import type { NoAnswer } from '../../observation/answer.ts';
import type { Finding } from '../../observation/observation.ts';
import type { NoHead } from '../../observation/repository-look.ts';
import { ownProbe, withoutAnswer } from '../remotes.ts';

/** Whether a repository was asked and has no head to look at. */
export const isNoHead = (look: { readonly result: string }): look is NoHead =>
  /^(?:gone|empty|moved)$/.test(look.result);

/** A fact about the head of a repository that has none, or that could not be asked. */
export const withoutHead = (head: NoHead | NoAnswer, repository: string): Finding =>
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
