import { claimMethods } from '../../claims/methods.ts';
import { reasonText } from '../../claims/standing.ts';
import { namespaceText } from '../../core/handle.ts';
import {
  type EndpointPlace,
  Holder,
  namespaceIdentity,
  recordedHolders,
  repositoryIdentity,
  websiteDomain,
} from '../../core/identity.ts';
import { dayText, hasTemplateHost } from '../../core/text.ts';
import {
  code,
  count,
  day,
  dayOf,
  isEmpty,
  number,
  ours,
  own,
  phrase,
  say,
  source,
  type Words,
} from '../../core/words.ts';
import { ownersOf } from '../../listings/naming.ts';
import { toRepositoryKey } from '../../net/repository-place.ts';
import {
  namespaceHoldsEndpoint,
  namespaceOwner,
  namespaceProof,
  publisherListings,
  publisherSameEndpoint,
  sharedKinds,
} from '../../observations/known/kinds/publisher.ts';
import { sourceRepository } from '../../observations/known/kinds/questions.ts';
import { repositoryExists, repositoryLastCommit } from '../../observations/known/kinds/repository.ts';
import type { ListingDocument } from '../listing-document.ts';
import {
  type FactsOf,
  noneRecorded,
  observed,
  ofService,
  recorded,
  saidIn,
  type TextFact,
  whyOf,
} from '../recorded-facts.ts';
import { isAbsent, type JudgedListing } from '../seen.ts';
import { hostingWords, strangerWords } from '../sentences.ts';

/** Undefined for a template. */
export const hostOf = (url: string) => (hasTemplateHost(url) ? undefined : URL.parse(url)?.hostname);

/** Empty if the two cannot be compared. */
function endpointsAtDomain(listing: ListingDocument): Words {
  const at = hostingWords(listing);
  const hosted = isEmpty(at) ? at : say`: ${at}`;
  const known = ownersOf(listing).remotes.map((one) => one.at);
  const places = known.includes(undefined) ? [] : known;
  const [first] = places;
  if (first === undefined) return say``;
  const countOf = (wanted: EndpointPlace) => places.filter((place) => place === wanted).length;
  const there = countOf('on');
  const beside = countOf('beside');
  const under = say`under the same registered domain ${code(namespaceIdentity(listing.handle))}`;
  if (places.length === 1) {
    if (first === 'on') return say`; its endpoint is on it${hosted}`;
    return first === 'beside'
      ? say`; its endpoint is not on it but ${under}`
      : say`; its endpoint is on another domain${hosted}`;
  }
  if (there === places.length) return say`; all its endpoints are on it${hosted}`;
  const many = there === 0 ? own('none') : number(there);
  const others = beside === 0 ? say`` : say`, ${beside} ${under}`;
  const where = isEmpty(at) ? at : say`; on ${at}`;
  return say`; ${many} of its ${places.length} endpoints ${there > 1 ? own('are') : own('is')} on it${others}${where}`;
}

function movedAccount({ known }: JudgedListing, isShown: boolean): Words {
  const [one] = known(repositoryExists);
  const [host = '', account = ''] = toRepositoryKey(one?.subject ?? '')?.split('/') ?? [];
  const [now = ''] = one?.value.moved_to?.split('/') ?? [];
  if (one === undefined || now === '' || now.toLowerCase() === account) return say``;
  const proven = isShown ? own(', which was not proven') : say``;
  return say`; ${code(host)} redirects that repository to another account, ${code(now)}${proven}${source('Dossier', dayText(one.observed_at))}`;
}

const isMovedToAnother = (judged: JudgedListing): boolean =>
  judged.known(namespaceOwner)[0]?.value === true && !isEmpty(movedAccount(judged, false));

function namespaceOf(judged: JudgedListing): TextFact {
  const { handle } = judged.listing;
  const isShown = judged.known(namespaceProof).length > 0;
  const owner = judged.known(namespaceOwner)[0]?.value;
  const owns = owner
    ? own(', owner of the recorded repository')
    : own(', not the owner of the recorded repository');
  // A namespace has no characters that could imitate our words.
  const holder = ours(namespaceText(handle));
  const name = isShown
    ? say`${holder}, proven to the registry`
    : say`namespace of ${holder}, ${judged.listing.sample ? own('not proven to a registry') : own('not known to be proven')}`;
  const elsewhere = owner ? movedAccount(judged, isShown) : say``;
  const isComparable = judged.known(namespaceHoldsEndpoint).length > 0;
  const at = hostingWords(judged.listing);
  const ofAccount = isEmpty(at) ? at : say`; its endpoint is on ${at}`;
  const where = isComparable ? endpointsAtDomain(judged.listing) : ofAccount;
  // The words need no source: they name the registry, or say that the proof is not known.
  return ofService(judged, say`${name}${owner === undefined ? say`` : owns}${elsewhere}${where}`);
}

function repositoryOf(judged: JudgedListing, isSaid: boolean): TextFact[] {
  const { listing, detail, seen, known } = judged;
  if (listing.repository === undefined)
    return [noneRecorded(judged, 'repository', own('no repository recorded'), sourceRepository.kind)];
  const [one] = seen(repositoryExists);
  const isShort = detail === 'short';
  const { repository, repository_folder: folder } = listing;
  const within = folder !== undefined && say` (folder ${code(folder)})`;
  const text = isShort ? own('repository') : say`repository ${code(repository)}${within}`;
  if (!one) return isShort ? [] : [recorded(judged, text)];
  if (isAbsent(one)) return [observed(judged, one, say`${text} is gone or not public`)];
  if (isShort && isSaid) return [];
  const isThere = one.value?.state === 'there';
  // The last commit in the line about upkeep shows that it is there.
  if (isShort && isThere && known(repositoryLastCommit).length > 0) return [];
  return [observed(judged, one, isThere ? say`${text} is public` : say`${text}: ${whyOf(one)}`)];
}

/** The accounts of forges that addresses of packages name, other than those that the answer has named. */
function packageAccounts({ handle, repository = '', packages }: ListingDocument): Words[] {
  const publisher = Holder.ofNamespace(handle);
  const said = [publisher.id, repositoryIdentity(toRepositoryKey(repository) ?? '')];
  const holders = packages.flatMap((one) => recordedHolders({ remotes: [], packages: [one] }));
  return [...Map.groupBy(holders, ({ id }) => id)]
    .filter(([id]) => !said.includes(id))
    .map(([id, { length }]) => {
      const which = packages.length === 1 ? own('its package') : count(length, 'package');
      const whose = publisher.isAccount ? 'another account' : 'the account';
      return say`${which} ${own(length > 1 ? 'are' : 'is')} of ${own(whose)} ${code(id)}`;
    });
}

/** Says nothing of a website at a host that serves many. */
function websiteWords({ handle }: ListingDocument, website: string): Words {
  const domain = websiteDomain(website);
  const isOther = domain !== undefined && domain !== namespaceIdentity(handle);
  return say`website ${code(website)}${isOther ? own(', not on its own domain') : say``}`;
}

const isOn = (website: string, handle = ''): boolean => websiteDomain(website) === namespaceIdentity(handle);

function claimWords({ claim, state }: ListingDocument): Words {
  if (!claim) return own('not claimed');
  const { claimed_at, kind, failing, suspended_reason = '', history } = claim;
  if (state === 'suspended') {
    const suspended = history.findLast(({ type }) => type === 'suspended');
    const on = suspended ? say` on ${day(suspended.at)}` : say``;
    return say`its claim of ${dayOf(claimed_at)} was suspended${on} (${ours(reasonText(suspended_reason))})`;
  }
  const shown = say`claimed on ${day(claimed_at)}: ${ours(claimMethods[kind].control)} was shown, nothing more`;
  return failing ? say`${shown}; ${ours(failing)}` : shown;
}

const ofKinds = saidIn('whose');

export const whose: FactsOf = (judged) => {
  const { known } = judged;
  const { website } = judged.listing;
  // All else that it shares with other publishers is in what stands out. A word says least about a listing.
  const named = sharedKinds
    .filter(({ basis }) => basis === 'names')
    .toReversed()
    .flatMap((kind) => known(kind).map((one) => ({ ...one, of: kind.of })));
  const first = [...Map.groupBy(named, ({ shared_with }) => shared_with).values()].flatMap(
    ([one]) => one ?? [],
  );
  return [
    namespaceOf(judged),
    ...known(publisherListings)
      .filter(({ value }) => value > 1)
      .map(({ value }) => ofService(judged, say`${count(value, 'listing')} of this publisher here`)),
    ...known(publisherSameEndpoint)
      .filter(({ value }) => value > 0)
      .map(({ value, shared_with }) => {
        const which = shared_with ? strangerWords(shared_with) : count(value, 'more listing');
        const does = value === 1 ? own('records') : own('record');
        return recorded(judged, say`${which} of this publisher ${does} the same endpoint`);
      }),
    ...first.flatMap(({ reason }) => (reason ? recorded(judged, phrase(reason)) : [])),
    ...(website && !named.some((one) => one.of === 'website' && isOn(website, one.shared_with))
      ? [recorded(judged, websiteWords(judged.listing, website))]
      : []),
    ...repositoryOf(judged, isMovedToAnother(judged)),
    ...packageAccounts(judged.listing).map((text) => recorded(judged, text)),
    ...ofKinds(judged),
    ofService(judged, claimWords(judged.listing)),
  ];
};
