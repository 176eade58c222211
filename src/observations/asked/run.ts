import type { Timeouts } from '../../config/timeouts.ts';
import { cachedOnce } from '../../core/cached-once.ts';
import { isTemplate } from '../../core/text.ts';
import { code, codes, own, say, type Words } from '../../core/words.ts';
import type { Listing, ListingRemote } from '../../listings/listing.ts';
import { type Fetched, type NoAnswer, noAnswer, notAsked, toContent } from '../../net/answer.ts';
import type { RepositoryPlace, RepositoryReader } from '../../net/git.ts';
import type { createPriceCatalogs } from './catalogs.ts';
import { withCheckedRemotes } from './checked-remotes.ts';
import { askStreamableFirst, askStreamFirst } from './endpoint/ask.ts';
import type { EndpointAnswer } from './endpoint/conversation.ts';
import type { ClientInfo } from './endpoint/messages.ts';
import { createListRoom, type ListRoom } from './endpoint/surface.ts';
import { createTimeBudgets, noWayThere, type PoliteFetch } from './hosts/polite.ts';
import type { Robots } from './hosts/robots.ts';
import type { createPackageRegistries } from './packages/registries.ts';

export type CheckedListing = Pick<Listing, 'handle' | 'remotes' | 'packages' | 'repository' | 'website'>;

export interface RecordedSubject {
  /** Absent if the fact is about all subjects of its kind. */
  readonly subject?: string;
  /** With all that the fact depends on in the record, such as `npm:name@1.0.0`. */
  readonly recorded?: string;
}

function onceEach<T>(ask: (key: string) => Promise<T>) {
  const asked = cachedOnce(async (key) => (await Promise.allSettled([ask(key)]))[0], { most: 500 });
  return async (key?: string): Promise<T> => {
    const answer = await asked(key);
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  };
}

type HeadFailure = Exclude<Awaited<ReturnType<RepositoryReader['head']>>, { commit: string }>;

const failureTexts: Readonly<Partial<Record<HeadFailure['result'], Words>>> = {
  host_unreachable: own('there was no connection to the host, or the connection broke'),
  host_timeout: own('the host gave no answer in time'),
  host_rate_limited: own('the host asked Dossier to wait'),
  repository_moved: own('the host redirected the request'),
  redirect_refused: own('the host redirected the request to another host'),
};

const otherFailure = own('the host returned an error, or something that was not asked for');

const silentFailures: ReadonlySet<HeadFailure['result']> = new Set(['host_unreachable', 'host_timeout']);

function unread(what: Words, { result, unsent }: Pick<HeadFailure, 'result' | 'unsent'>): NoAnswer {
  const why = unsent === 'no_way' ? noWayThere : (failureTexts[result] ?? otherFailure);
  const isSent = unsent === undefined && result !== 'host_rate_limited';
  const outcome = silentFailures.has(result) ? 'silent' : 'otherwise';
  return noAnswer(isSent ? outcome : 'not_asked', say`Dossier could not read ${what}: ${why}.`);
}

interface NoHead extends NoAnswer {
  /** The repository exists, although its head was not read. */
  readonly there?: { readonly state: 'empty' | 'moved'; readonly moved_to?: string };
}

function toNoHead({ key, host }: RepositoryPlace, source_url: string, failure: HeadFailure): NoHead {
  const none = (why: Words) => noAnswer('absent', why, { source_url });
  const path = code(key.slice(host.length + 1));
  if (failure.result === 'repository_not_found')
    return none(say`${code(host)} shows no public repository at ${path}.`);
  if (failure.result === 'repository_empty')
    return { ...none(say`${code(key)} has no commit on its default branch.`), there: { state: 'empty' } };
  const { moved_to } = failure;
  // A redirect without another path, such as to a maintenance page, may be temporary.
  if (moved_to === undefined) return unread(say`HEAD of ${code(key)}`, failure);
  const why = say`${code(host)} redirects ${path} to ${code(moved_to)}.`;
  return { ...noAnswer('otherwise', why, { source_url }), there: { state: 'moved', moved_to } };
}

function createRepositoryQuestions({ repository = '' }: CheckedListing, repositories: RepositoryReader) {
  const place = repositories.place(repository);
  const noPlace: NoHead = notAsked(
    own('The recorded repository is on a host that Dossier is not configured to read.'),
  );
  const head = onceEach(async () => {
    if (!place) return noPlace;
    const found = await repositories.head(place);
    return 'commit' in found ? { result: 'head' as const, ...found } : toNoHead(place, repository, found);
  });
  const atHead = async <T>(read: (place: RepositoryPlace, commit: string) => Promise<T>) => {
    const found = await head();
    if (found.result !== 'head') return found;
    return place ? read(place, found.commit) : noPlace;
  };
  const commit = onceEach(() =>
    atHead(async (at, id) => {
      const read = await repositories.commit(at, id);
      if ('committed_at' in read) return { result: 'commit' as const, commit: id, ...read };
      return unread(say`commit ${code(id)} of ${code(at.key)}`, read);
    }),
  );
  const file = onceEach((fileName) =>
    atHead(async (at, id) => {
      const read = await repositories.readAt(at, { commit: id, fileName });
      if (read.result === 'file') return { result: 'file' as const, commit: id, text: read.text };
      if (read.result === 'file_absent') return { result: 'absent' as const, commit: id };
      // A page instead of the file may be temporary.
      const isThere = /^(too_large|not_text|lfs_pointer)$/.test(read.result);
      if (isThere) return { result: 'unreadable' as const, commit: id };
      return unread(say`${code(fileName ?? '')} of ${code(at.key)}`, read);
    }),
  );
  return {
    head: () => head(),
    /** `committed_at` is RFC 3339, as the committer stated it. */
    commit: () => commit(),
    /** `unreadable`: an LFS pointer, no text, or more than 16 KiB. */
    file,
  };
}

export interface RunParts {
  readonly fetch: PoliteFetch;
  readonly robots: Robots;
  readonly repositories: RepositoryReader;
  readonly packages: ReturnType<typeof createPackageRegistries>;
  readonly catalogs: ReturnType<typeof createPriceCatalogs>;
  readonly client: ClientInfo;
  readonly claimFile: string;
  readonly timeouts: Timeouts;
}

function whyNot(url: string): NoAnswer | undefined {
  if (isTemplate(url)) return notAsked(own('The recorded address is a template that each caller fills in.'));
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    return notAsked(own('The recorded address is not an http or https URL.'));
  if (parsed.username + parsed.password !== '')
    return notAsked(own('The recorded address contains credentials; Dossier sends none.'));
  return undefined;
}

async function askIfAllowed(
  url: string,
  asked: { readonly isStream: boolean; readonly one_session_at: string | undefined },
  parts: RunParts & { readonly room: ListRoom; readonly now: Date },
): Promise<EndpointAnswer | NoAnswer> {
  const refused = whyNot(url) ?? (await parts.robots(url));
  const ask = asked.isStream ? askStreamFirst : askStreamableFirst;
  return refused ?? ask(url, { ...parts, ...asked });
}

/** Whether it answers those who have the secret is not known. */
function orRefused(
  answer: EndpointAnswer | NoAnswer,
  { inputs = [] }: Pick<ListingRemote, 'inputs'>,
): EndpointAnswer | NoAnswer {
  const secrets = inputs.filter(({ required, secret, unmarked }) => required && (secret || unmarked));
  if (answer.result === 'answered' || answer.outcome !== 'otherwise' || secrets.length === 0) return answer;
  const { status } = answer;
  if (status !== 400 && status !== 403) return answer;
  const names = codes(secrets.map(({ name }) => name));
  const why = say`The endpoint returned HTTP ${status} to Dossier, which sends no secret; the record requires ${names}: whether it answers with it is not known.`;
  return { ...answer, outcome: 'asks', asks_for: 'secret', why };
}

/** A host that did not end a document in time is asked for no other, so that no check holds it long. */
async function get(
  url: string,
  { fetch, robots, slow }: RunParts & { readonly slow: Map<string, NoAnswer> },
): Promise<Fetched | NoAnswer> {
  const refused = whyNot(url) ?? slow.get(URL.parse(url)?.origin ?? '') ?? (await robots(url));
  if (refused) return refused;
  const answer = await fetch({ url, isOfDocument: true });
  if (answer.result !== 'response' && answer.cause === 'timeout')
    slow.set(new URL(url).origin, notAsked(say`${answer.why} Dossier requested no other document there.`));
  return toContent(answer);
}

/** Of earlier checks. */
interface EarlierFact {
  readonly kind: string;
  readonly subject?: string;
  readonly value: unknown;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly one_session_at?: string;
}

export type CheckRun = ReturnType<typeof createRun>;

/** A repeated question gets the same answer. */
export function createRun(
  subject: CheckedListing,
  parts: RunParts,
  {
    now,
    refusal,
    known = [],
  }: {
    readonly now: Date;
    readonly refusal: NoAnswer | undefined;
    readonly known?: readonly EarlierFact[] | undefined;
  },
) {
  const listing = withCheckedRemotes(subject);
  const unlessRefused = <T>(question: (key: string) => Promise<T | NoAnswer>) =>
    onceEach(async (key: string) => refusal ?? question(key));
  const timesOf = createTimeBudgets(parts.timeouts);
  const fetch: PoliteFetch = (request) => parts.fetch({ ...request, times: timesOf(request.url) });
  const timed = { ...parts, fetch, room: createListRoom(), now, slow: new Map<string, NoAnswer>() };
  const streams = new Set(listing.remotes.flatMap(({ type, url }) => (type === 'sse' ? [url] : [])));
  const endpoint = unlessRefused((url) => {
    const { one_session_at } = known.find((one) => one.subject === url && one.one_session_at) ?? {};
    return askIfAllowed(url, { isStream: streams.has(url), one_session_at }, timed);
  });
  type RegistryName = Parameters<RunParts['packages']['registry']>[0];
  const registry = onceEach((key) => {
    const [name = '', ...path] = key.split(' ');
    return parts.packages.registry(name as RegistryName, path.join(' '));
  });
  const { verifyBundle, advisories } = parts.packages;
  const image = onceEach(async (place) => {
    const [host = '', ...path] = place.split('/');
    const opened = parts.packages.image({ host, name: path.join('/') });
    return 'result' in opened ? opened : { manifest: onceEach(opened.manifest), blob: onceEach(opened.blob) };
  });
  return {
    listing,
    now,
    earlier: (kind: string, subject: string) =>
      known.find((one) => one.kind === kind && one.subject === subject),
    /** It never calls a tool. */
    endpoint: async (remote: Pick<ListingRemote, 'url' | 'inputs'>) =>
      orRefused(await endpoint(remote.url), remote),
    get: unlessRefused((url) => get(url, timed)),
    packageFile: unlessRefused(async (url) => whyNot(url) ?? parts.packages.headFile(url, fetch)),
    ...createRepositoryQuestions(listing, parts.repositories),
    claimFile: parts.claimFile,
    catalogs: parts.catalogs,
    registry: (name: RegistryName, path: string) => registry(`${name} ${path}`),
    image: ({ host, name }: Readonly<Record<'host' | 'name', string>>) => image(`${host}/${name}`),
    verifyBundle,
    advisories,
  };
}
