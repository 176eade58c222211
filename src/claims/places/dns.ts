import type { Context } from '../../context.ts';
import type { AgreedTxt } from '../../domains/agree.ts';
import { challengeName } from '../../evidence/claim/methods/dns.ts';
import type { ProofPlace } from '../../evidence/claim/proof-place.ts';
import { namesThatCount } from './names-that-count.ts';
import type { PlaceCheck } from './place-check.ts';

type Answered = Exclude<AgreedTxt, 'no_answer'>;

/** A wildcard record answers for every name, so that records of another purpose are none. */
const isOurs = (record: string) => /dossier-claim-v1\.|dossier_cap_/.test(record);
const isOptOut = (record: string) => /^\s*optout\s/.test(record);

/** The nearest domain with a claim line, else with another line of ours. An opt-out counts from each of the domains. */
function toCheck(answers: readonly (readonly [string, Answered])[]): PlaceCheck {
  const isAgreed = answers.every(([, answer]) => answer.isAgreed);
  const withAny = (isWanted: (record: string) => boolean) =>
    answers.find(([, { records }]) => records.some(isWanted));
  const found = withAny(isOurs) ?? withAny(isOptOut);
  if (!found) return { result: isAgreed ? 'dns_no_record' : 'dns_disagree', pinned: isAgreed };
  const [domain, { records, resolvers, dnssec }] = found;
  const optOuts = answers.flatMap(([, answer]) => answer.records.filter(isOptOut));
  return {
    result: 'file',
    text: [...records, ...optOuts].join('\n'),
    pinned: isAgreed,
    seen: { domain, resolvers, dnssec },
  };
}

/** Reads the TXT records for claims of a domain, and where it has none, of the nearest domain above it that has some. */
export async function readDns({ shown }: ProofPlace, context: Context, handle: string): Promise<PlaceCheck> {
  const { domains } = context;
  const names = await namesThatCount(shown, handle, context);
  const answers = await Promise.all(names.map((domain) => domains.txt(challengeName(domain))));
  const given = names.flatMap((domain, at) => {
    const answer = answers[at];
    return answer === undefined || answer === 'no_answer' ? [] : [[domain, answer] as const];
  });
  return given.length < names.length ? { result: 'dns_no_answer', pinned: false } : toCheck(given);
}
