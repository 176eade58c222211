import { z } from 'zod';
import { namespaceMatchesRepositoryOwner } from '../../../core/identity.ts';
import { count, number, own, type Words } from '../../../core/words.ts';
import { isOfficial } from '../../../listings/listing.ts';
import { holdsEndpoints } from '../../../listings/naming.ts';
import type { SharedKind } from '../../../listings/references/shared.ts';
import { defineRecord } from '../kind.ts';

const proofs = {
  domain: own('control of the domain in the name'),
  'github account': own('control of a GitHub account'),
};

const yesOrNo = ({ value }: { readonly value: boolean }): Words => (value ? own('yes') : own('no'));

export const namespaceProof = defineRecord({
  kind: 'namespace.proof',
  question: 'publisher',
  title: 'What the publisher showed to the registry',
  means: 'The proof that the registry requires before it lets anybody publish under this namespace.',
  doesNotMean: 'It does not say who the publisher is, or that the publisher runs the service.',
  value: z.enum(['domain', 'github account']),
  say: ({ value }) => proofs[value],
  stated({ listing }) {
    // Other registries' requirements are not known, and for the made-up sample nobody showed anything.
    if (!isOfficial(listing)) return undefined;
    return listing.handle.toLowerCase().startsWith('io.github.') ? 'github account' : 'domain';
  },
});

export const namespaceOwner = defineRecord({
  kind: 'namespace.matches_repository_owner',
  question: 'publisher',
  title: 'The account that publishes also holds the repository',
  means: 'Whether the account in the listing’s name also holds the recorded repository.',
  doesNotMean: '“No” may mean that a person publishes the listing and an organization keeps the code.',
  value: z.boolean(),
  say: yesOrNo,
  stated({ listing: { handle, repository_key } }) {
    const match = namespaceMatchesRepositoryOwner(handle, repository_key);
    return match === 'not_comparable' ? undefined : match === 'yes';
  },
});

export const namespaceHoldsEndpoint = defineRecord({
  kind: 'namespace.holds_endpoint',
  question: 'publisher',
  title: 'The endpoint is at the domain of the name',
  means: 'Whether every recorded endpoint is at the domain in the listing’s name, or below it.',
  doesNotMean: '“No” is common: many services run at a hosting company.',
  value: z.boolean(),
  say: yesOrNo,
  stated: ({ listing }) => holdsEndpoints(listing),
});

export const publisherListings = defineRecord({
  kind: 'publisher.listings',
  question: 'publisher',
  title: 'Listings under the same namespace',
  means: 'How many listings of this publisher Dossier has, including this one.',
  doesNotMean: 'More listings are not better.',
  unit: 'listings',
  value: z.number(),
  say: ({ value }) => number(value),
});

export const publisherSameEndpoint = defineRecord({
  kind: 'publisher.same_endpoint',
  question: 'publisher',
  title: 'Other listings of the publisher with the same endpoint',
  means: 'How many other listings of this publisher record an endpoint that this listing records.',
  doesNotMean: 'These listings may be one service.',
  unit: 'listings',
  value: z.number(),
  say: ({ value }) => count(value, 'listing'),
});

type InCommon = readonly [
  of: SharedKind,
  /** What names say shows no connection. */
  basis: 'records' | 'checks' | 'names',
  title: string,
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
    'Other publishers asked to be paid at the same address',
    'asked to be paid at the same address',
    'address for payments',
  ],
  ['tools', 'checks', 'Other publishers list the same tools', 'listed the same tools to Dossier'],
  ['description', 'records', 'Other publishers have the same description', 'has the same description'],
  [
    'namesake',
    'records',
    'Other publishers have the same name and short description',
    'has the same name and description',
    'name and description',
  ],
  [
    'word',
    'names',
    'Other namespaces have the same word',
    'has a namespace with the same word',
    'word in the namespace',
  ],
  [
    'account',
    'names',
    'Other publishers name the same account',
    'records a repository of the same account',
    'account of the repository or namespace',
  ],
  [
    'website',
    'names',
    'Other publishers name the same domain',
    'has a namespace of the same domain',
    'domain of the website, an endpoint or the namespace',
  ],
];

export const sharedKinds = inCommon.map(([of, basis, title, does, noun = of]) => ({
  of,
  basis,
  does,
  noun,
  ...defineRecord({
    kind: `shared.${of}`,
    question: 'publisher',
    title,
    means: `How many of the 200 oldest listings in Dossier with the same ${noun} are by other publishers.`,
    doesNotMean: 'It does not say who owns what is shared, who was first, or that one copied the other.',
    unit: 'listings',
    value: z.number(),
    say: ({ value }) => count(value, 'listing'),
  }),
}));
