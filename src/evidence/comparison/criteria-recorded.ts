import type { ListingRemote } from '../listing/listing-document.ts';
import { packageTypes, transports } from '../listing/record/recorded-kinds.ts';
import { knowingOf } from '../observation/observation.ts';
import {
  absentFinding,
  type ComparedListing,
  type Criterion,
  choiceCriterion,
  daysSince,
  decided,
  numberCriterion,
  observedFinding,
  plainCriterion,
  recordedFinding,
  signalOf,
  tagCriterion,
} from './criterion.ts';

const evidence = 'imported';
const maxDays = 3650;
const listed = (values: readonly string[]) => [...new Set(values)].join(', ');

/** Where the status and the dates are from. */
const sourceOf = ({ listing }: ComparedListing) => (listing.sample ? 'The sample' : 'The registry');

const active = plainCriterion({ evidence, label: 'Active in the registry' }, (compared) => {
  const { origin_status, status_message } = compared.listing;
  const isActive = origin_status === 'active';
  return recordedFinding(compared, {
    result: decided(isActive),
    fact: `${sourceOf(compared)} ${isActive ? 'lists it as active' : 'marks it as deprecated'}.`,
    ...(status_message && { recorded: status_message }),
  });
});

/** What the record requires in the headers of a request; empty where it requires nothing. */
function needs(remote: ListingRemote | undefined): string {
  const headers = (remote?.inputs ?? []).filter(({ kind, required }) => kind === 'header' && required);
  if (headers.length === 0) return '';
  return headers.some(({ secret }) => secret) ? '; it needs a secret header' : '; it needs a header';
}

const hasEndpoint = plainCriterion({ evidence, label: 'Remote endpoint recorded' }, (compared) => {
  const { endpoint, remotes } = compared.listing;
  if (endpoint)
    return recordedFinding(compared, {
      result: 'met',
      fact: `A remote address is recorded${needs(remotes.find(({ url }) => url === endpoint))}.`,
      recorded: endpoint,
    });
  const fact =
    remotes.length > 0
      ? 'Remotes are recorded, but none has a complete address.'
      : 'No remote endpoint is recorded.';
  return absentFinding(compared, 'endpoint', { result: 'not_met', fact });
});

const hasRepository = plainCriterion({ evidence, label: 'Source repository recorded' }, (compared) => {
  const { repository, observations } = compared.listing;
  const gone = observations.find((one) => one.kind === 'repository.exists' && knowingOf(one) === 'not_seen');
  if (repository && gone?.state === 'not_found')
    return observedFinding(gone, {
      result: 'not_met',
      fact: 'A source repository is recorded; Dossier looked for it, and it is not there.',
      recorded: repository,
    });
  const fact = 'No source repository is recorded.';
  return repository
    ? recordedFinding(compared, {
        result: 'met',
        fact: 'A source repository is recorded.',
        recorded: repository,
      })
    : absentFinding(compared, 'repository', { result: 'not_met', fact });
});

const transport = choiceCriterion(
  { evidence, label: 'Transport {} recorded', of: transports },
  (compared, wanted) => {
    const { remotes, packages } = compared.listing;
    const ofPackages = packages.flatMap(({ transport: recorded }) => recorded || []);
    const known = [...remotes.map(({ type }) => type), ...ofPackages].filter(Boolean);
    const holds = known.includes(wanted);
    const field = wanted === 'stdio' ? 'package' : 'endpoint';
    if (known.length === 0 || (!holds && compared.listing.copy_lacks?.includes(field)))
      return absentFinding(compared, field, { result: 'unknown', fact: 'No transport is recorded.' });
    const fact = `${wanted} is ${holds ? '' : 'not '}among the recorded transports.`;
    return recordedFinding(compared, { result: decided(holds), fact, recorded: listed(known) });
  },
);

const packageKind = choiceCriterion(
  { evidence, label: 'Package of kind {} recorded', of: packageTypes },
  (compared, wanted) => {
    const { packages } = compared.listing;
    if (packages.length === 0)
      return absentFinding(compared, 'package', { result: 'not_met', fact: 'No package is recorded.' });
    const found = packages.find(({ registry_type }) => registry_type === wanted);
    if (!found)
      return recordedFinding(compared, {
        result: 'not_met',
        fact: `No package of kind ${wanted} is recorded; others are.`,
        recorded: listed(packages.map(({ registry_type }) => registry_type)),
      });
    const { identifier, version } = found;
    return recordedFinding(compared, {
      result: 'met',
      fact: `A package of kind ${wanted} is recorded.`,
      recorded: version ? `${identifier}@${version}` : identifier,
    });
  },
);

const tag = tagCriterion({ evidence, label: 'Has the tag {}' }, (compared, wanted) => {
  const found = compared.listing.tags.find((candidate) => candidate.tag === wanted);
  return recordedFinding(
    compared,
    found
      ? { result: 'met', fact: 'It has this tag.', recorded: found.reason }
      : {
          result: 'not_met',
          fact: 'It does not have this tag. Tags follow from recorded facts and publisher keywords.',
        },
  );
});

const notFirst = (day: string, reason = '') =>
  `Whether a version older than that of ${day} was published is not known. ${reason}`.trim();

const future = 'The recorded date is in the future.';

/** A publication that was read shows an age; without older versions it does not show that there is no greater one. */
const listedForDays = numberCriterion(
  { evidence, label: 'First published at least {} day(s) ago', max: maxDays },
  (compared, days) => {
    const { published_at, sample } = compared.listing;
    const first = signalOf(compared, 'registry.first_published');
    const age_days = daysSince(published_at, compared.now_ms);
    if (age_days === undefined) return recordedFinding(compared, { result: 'unknown', fact: future });
    const day = published_at.slice(0, 10);
    if (first?.state === 'observed')
      return recordedFinding(compared, {
        result: decided(age_days >= days),
        fact: `It was first published in the registry on ${day}.`,
      });
    const isOld = age_days >= days && !sample;
    const fact = isOld ? `A version published on ${day} was read.` : notFirst(day, first?.reason);
    return recordedFinding(compared, { result: isOld ? 'met' : 'unknown', fact });
  },
);

const updatedWithinDays = numberCriterion(
  { evidence, label: 'Updated within the last {} day(s)', max: maxDays },
  (compared, days) => {
    const { updated_at } = compared.listing;
    const age_days = daysSince(updated_at, compared.now_ms);
    if (age_days === undefined) return recordedFinding(compared, { result: 'unknown', fact: future });
    const fact = `${sourceOf(compared)} says that its entry was last updated on ${updated_at.slice(0, 10)}.`;
    return recordedFinding(compared, { result: decided(age_days <= days), fact });
  },
);

/** Criteria judged by the registry's record, as of the import that read it; never by ratings. */
export const recordedCriteria = {
  active,
  has_endpoint: hasEndpoint,
  has_repository: hasRepository,
  transport,
  package: packageKind,
  tag,
  listed_for_days: listedForDays,
  updated_within_days: updatedWithinDays,
} as const satisfies Record<string, Criterion>;
