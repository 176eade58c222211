import type { NoAnswer } from '../evidence/observation/answer.ts';
import type { Subject } from '../evidence/observation/look.ts';
import type { CommitLook, FileLook, HeadLook, NoHead } from '../evidence/observation/repository-look.ts';
import type { RepositoryPlace, RepositoryReader } from '../repositories/reader.ts';

type Head = HeadLook | NoHead | NoAnswer;
type Failure = Exclude<Awaited<ReturnType<RepositoryReader['head']>>, { commit: string }>;

const failureTexts: Readonly<Partial<Record<Failure['result'], string>>> = {
  host_unreachable: 'there was no connection to the host, or it broke',
  host_timeout: 'the host gave no answer in time',
  host_rate_limited: 'the host asked Dossier to wait',
  repository_moved: 'the host redirected the request',
  redirect_refused: 'the host redirected the request to another host',
};

const unreachable = (what: string, { result }: Pick<Failure, 'result'>): NoAnswer => ({
  result: 'unreachable',
  reason: `Dossier could not read ${what}: ${failureTexts[result] ?? 'the host answered with an error, or with something else than was asked for'}.`,
});

function toNoHead(place: RepositoryPlace, failure: Failure): NoHead | NoAnswer {
  const { key, host } = place;
  if (failure.result === 'repository_not_found')
    return { result: 'gone', reason: `${host} shows no public repository at ${key}.` };
  if (failure.result === 'repository_empty') return { result: 'empty', reason: `${key} has no commits.` };
  const { moved_to } = failure;
  // A redirect to anything else, as to a page of maintenance, may pass.
  if (moved_to === undefined) return unreachable(`HEAD of ${key}`, failure);
  return { result: 'moved', reason: `${host} redirects ${key} to ${host}/${moved_to}.`, moved_to };
}

/** Looks at the recorded repository of a listing, without a token. Never throws. */
export function createRepositoryLook({ repository }: Subject, repositories: RepositoryReader) {
  const place = repository === undefined ? undefined : repositories.place(repository);
  const noPlace: NoAnswer = {
    result: 'not_checked',
    reason: 'The recorded repository is on a host that Dossier is not configured to read.',
  };
  return {
    /** What HEAD points to. */
    async head(): Promise<Head> {
      if (!place) return noPlace;
      const found = await repositories.head(place);
      return 'commit' in found ? { result: 'head', ...found } : toNoHead(place, found);
    },
    /** The commit that HEAD points to. */
    async commit(head: Head): Promise<CommitLook | NoHead | NoAnswer> {
      if (!place || head.result !== 'head') return head.result === 'head' ? noPlace : head;
      const { commit } = head;
      const read = await repositories.commit(place, commit);
      if ('committed_at' in read) return { result: 'commit', commit, ...read };
      return unreachable(`commit ${commit} of ${place.key}`, read);
    },
    /** A file at the commit that HEAD points to. */
    async file(head: Head, fileName: string): Promise<FileLook | NoHead | NoAnswer> {
      if (!place || head.result !== 'head') return head.result === 'head' ? noPlace : head;
      const { commit } = head;
      const read = await repositories.readAt(place, { commit, fileName });
      if (read.result === 'file') return { result: 'file', commit, text: read.text };
      if (read.result === 'file_absent') return { result: 'absent', commit };
      // A page instead of the file, as one of maintenance, may pass.
      const isThere = /^(too_large|not_text|lfs_pointer)$/.test(read.result) && !read.isPage;
      return isThere ? { result: 'unreadable', commit } : unreachable(`${fileName} of ${place.key}`, read);
    },
  };
}
