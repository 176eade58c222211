import { z } from 'zod';
import { namespaceMatchesRepositoryOwner } from '../../core/handle.ts';
import { namespaceHoldsEndpoints } from '../../core/identity.ts';
import { count, number, own, type Words } from '../../core/words.ts';
import { isOfficial } from '../../listings/listing.ts';
import type { SharedKind } from '../../listings/shared.ts';
import { defineRecord } from '../kind.ts';

const proofs = {
  domain: own('control of the domain in the name'),
  'github account': own('control of a GitHub account'),
};

const yesOrNo = ({ value }: { readonly value: boolean }): Words => (value ? own('yes') : own('no'));

/** What the registry asks of those who publish under the namespace of a listing. */
export const namespaceProof = defineRecord({
  kind: 'namespace.proof',
  question: 'publisher',
  title: 'What the publisher showed to the registry',
  means: 'The registry lets only those publish under this namespace who showed this.',
  doesNotMean: 'It does not say who that is, or that they run the service.',
  value: z.enum(['domain', 'github account']),
  say: ({ value }) => proofs[value],
  stated({ listing }) {
    // Only of the official registry is it known what it asks of publishers; of the sample nobody showed
    // anything, since it is made up.
    if (!isOfficial(listing)) return undefined;
    return listing.handle.toLowerCase().startsWith('io.github.') ? 'github account' : 'domain';
  },
});

/** Whether one account publishes a listing and holds its repository. */
export const namespaceOwner = defineRecord({
  kind: 'namespace.matches_repository_owner',
  question: 'publisher',
  title: 'The same account publishes and holds the repository',
  means: 'Whether the account in the name is the one that holds the recorded repository.',
  doesNotMean: 'A no is common: many publish under a domain and keep code elsewhere.',
  value: z.boolean(),
  say: yesOrNo,
  outcomeOfNone: 'not_asked',
  stated({ listing: { handle, repository_key } }) {
    const match = namespaceMatchesRepositoryOwner(handle, repository_key);
    return match === 'not_comparable' ? null : match === 'yes';
  },
});

/** Whether the endpoints of a listing are at the domain of its namespace. */
export const namespaceHoldsEndpoint = defineRecord({
  kind: 'namespace.holds_endpoint',
  question: 'publisher',
  title: 'The endpoint is at the domain of the name',
  means: 'Whether every recorded endpoint is on the domain that the name stands for, or below it.',
  doesNotMean: 'A no is common: many services run at a hosting company.',
  value: z.boolean(),
  say: yesOrNo,
  stated: ({ listing: { handle, remotes } }) =>
    namespaceHoldsEndpoints(
      handle,
      remotes.map(({ url }) => url),
    ),
});

/** How many listings there are of the publisher of one. */
export const publisherListings = defineRecord({
  kind: 'publisher.listings',
  question: 'publisher',
  title: 'Listings under the same namespace',
  means: 'How many listings Dossier has of this publisher, this one included.',
  doesNotMean: 'More are not better.',
  unit: 'listings',
  value: z.number(),
  say: ({ value }) => number(value),
});

/** How many of them record the same endpoint. */
export const publisherSameEndpoint = defineRecord({
  kind: 'publisher.same_endpoint',
  question: 'publisher',
  title: 'Other listings of the publisher with the same endpoint',
  means: 'How many more listings of this publisher record an endpoint of this one.',
  doesNotMean: 'They may be one service.',
  unit: 'listings',
  value: z.number(),
  say: ({ value }) => count(value, 'listing'),
});

type InCommon = readonly [
  of: SharedKind,
  /** Records have it, a check saw it, or it is only a word in a name, which shows no connection. */
  basis: 'records' | 'checks' | 'names',
  title: string,
  /** What the other listing does. */
  does: string,
  noun?: string,
];

const inCommon: readonly InCommon[] = [
  ['endpoint', 'records', 'Other publishers record the same endpoint', 'records the same endpoint'],
  ['package', 'records', 'Other publishers record the same package', 'records the same package'],
  ['repository', 'records', 'Other publishers record the same repository', 'records the same repository'],
  [
    'pay_to',
    'checks',
    'Other publishers are paid at the same address',
    'asked to be paid at the same address',
    'address for payments',
  ],
  ['tools', 'checks', 'Other publishers list the same tools', 'listed the same tools to Dossier'],
  ['description', 'records', 'Other publishers have the same description', 'has the same description'],
  [
    'word',
    'names',
    'Other namespaces have the same word',
    'has a namespace with the same word, which shows no connection',
    'word in the namespace',
  ],
];

/**
 * How many listings of other publishers have something in common with one, in the order in which it is said.
 */
export const sharedKinds = inCommon.map(([of, basis, title, does, noun = of]) => ({
  of,
  basis,
  does,
  noun,
  ...defineRecord({
    kind: `shared.${of}`,
    question: 'publisher',
    title,
    means: `How many listings of other publishers that Dossier has share its ${noun}, among the 200 oldest that have it.`,
    doesNotMean: 'It does not say whose it is, who was first, or that one copied the other.',
    unit: 'listings',
    value: z.number(),
    say: ({ value }) => count(value, 'listing'),
  }),
}));
