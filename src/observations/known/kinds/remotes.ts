import type { Json } from '../../../core/json.ts';
import { isTemplate } from '../../../core/text.ts';
import { code, type Words } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, responseOf, returned } from '../../../net/answer.ts';
import type { EndpointAnswer } from '../../asked/endpoint/conversation.ts';
import type { CheckedListing, CheckRun, RecordedSubject } from '../../asked/run.ts';
import type { Finding } from '../observation.ts';

export const ownProbe = 'Dossier';

export function withoutAnswer(answer: NoAnswer, subject?: string): Finding<never> {
  const { outcome, why, asks_for, mayPass, one_session_at, source = ownProbe, source_url } = answer;
  const response = responseOf(answer);
  return {
    ...(subject !== undefined && { subject }),
    value: null,
    outcome,
    ...(asks_for && { asks_for }),
    ...(mayPass && { mayPass }),
    ...(one_session_at && { one_session_at }),
    ...(response && { response }),
    why,
    source,
    ...(source_url !== undefined && { source_url }),
  };
}

export type RemoteFinding<Value extends Json = Json> = Omit<
  Finding<Value>,
  'subject' | 'source' | 'source_url'
>;

const repositoryOf = ({ repository }: CheckedListing): RecordedSubject[] =>
  repository === undefined ? [] : [{ subject: repository }];

export const ofRepository = <const Value extends Json>(
  find: (run: CheckRun) => Promise<RemoteFinding<Value> | NoAnswer>,
  isRare = false,
) => ({
  about: repositoryOf,
  restsOn: 'repository' as const,
  async check(run: CheckRun): Promise<readonly Finding<Value>[]> {
    const { repository: subject } = run.listing;
    if (!subject) return [];
    const found = await find(run);
    if (!('result' in found)) return [{ subject, ...found, source: ownProbe, source_url: subject }];
    return [{ ...withoutAnswer(found, subject), ...(isRare && { rule: 'rare' }) }];
  },
});

type FromEndpoint<Value extends Json> = (
  endpoint: EndpointAnswer,
  run: CheckRun,
) => RemoteFinding<Value> | NoAnswer | Promise<RemoteFinding<Value> | NoAnswer>;

/** If a list of tools was seen, the fact does not stay open for the other exchange. */
const decidedBy = ({ by, open, list }: EndpointAnswer): Pick<Finding, 'by' | 'open'> => ({
  by,
  ...(open && list.result !== 'listed' && { open }),
});

export const ofRemotes = <const Value extends Json>(toFinding: FromEndpoint<Value>, isRare = false) => ({
  about: ({ remotes }: Pick<CheckedListing, 'remotes'>) =>
    [...new Set(remotes.map(({ url }) => url))].map((subject) => ({ subject })),
  async check(run: CheckRun): Promise<readonly Finding<Value>[]> {
    const found: Finding<Value>[] = [];
    for (const remote of run.listing.remotes) {
      const endpoint = await run.endpoint(remote);
      const { url } = remote;
      const made = endpoint.result === 'answered' ? await toFinding(endpoint, run) : endpoint;
      const finding = 'result' in made ? withoutAnswer(made) : made;
      const isOpen = endpoint.result === 'answered' && endpoint.open !== undefined;
      const isUnsure = 'result' in made || (isOpen && finding.value === null);
      found.push({
        ...(endpoint.result === 'answered' && decidedBy(endpoint)),
        ...finding,
        source: ownProbe,
        subject: url,
        ...(isRare && isUnsure && { rule: 'rare' as const }),
        ...(!('result' in made) && { source_url: url }),
      });
    }
    return found;
  },
});

export const ofRareRemotes = <const Value extends Json>(toFinding: FromEndpoint<Value>) => ({
  ...ofRemotes(toFinding, true),
  isOptional: true as const,
});

/** Undefined for content that is not what was asked for. */
export const ofOrigins = <const Value extends Json>(
  path: string,
  what: Words,
  toFinding: (answer: Fetched, run: CheckRun) => RemoteFinding<Value> | undefined,
) => ({
  about: (listing: CheckedListing) => originsOf(listing).map((subject) => ({ subject })),
  isOptional: true as const,
  check: (run: CheckRun): Promise<readonly Finding<Value>[]> =>
    Promise.all(
      originsOf(run.listing).map(async (subject): Promise<Finding<Value>> => {
        const url = `${subject}${path}`;
        const answer = await run.get(url);
        const place = { subject, source: ownProbe, source_url: url };
        if (answer.result !== 'response') return { ...withoutAnswer(answer), ...place };
        const found = toFinding(answer, run) ?? withoutAnswer(returned(code(url), answer, what));
        return { ...found, ...place };
      }),
    ),
});

export function originsOf({ remotes }: CheckedListing): string[] {
  const urls = remotes.filter(({ url }) => !isTemplate(url)).map(({ url }) => URL.parse(url));
  const origins = urls.flatMap((url) => (url && /^https?:$/.test(url.protocol) ? [url.origin] : []));
  return [...new Set(origins)];
}
