import { isDeepStrictEqual } from 'node:util';
import type { Listing } from '../listings/listing.ts';

const comparedFields = [
  ...(['title', 'description', 'version', 'origin_status', 'status_message', 'endpoint'] as const),
  ...([
    'remotes',
    'packages',
    'package_versions',
    'inputs',
    'repository',
    'website',
    'keywords',
    'tags',
  ] as const),
];

/** Inputs are a field of their own, because a text of one is no other endpoint or package. */
const inputsApart = ({
  remotes,
  packages,
  ...fields
}: Partial<Listing> & Pick<Listing, 'remotes' | 'packages'>) => ({
  keywords: undefined,
  ...fields,
  remotes: remotes.map(({ inputs: _, ...remote }) => remote),
  packages: packages.map(({ inputs: _, version, identifier, ...one }) => ({
    ...one,
    // Names of images end with their version.
    identifier: version === undefined ? identifier : identifier.replace(`:${version}`, ''),
  })),
  package_versions: packages.map(({ version }) => version),
  inputs: [...remotes, ...packages].flatMap(({ inputs = [] }) => inputs),
});

/** That differ between two imports or two versions. */
export function changedFields(
  ...records: readonly [...Parameters<typeof inputsApart>, ...Parameters<typeof inputsApart>]
) {
  const [was, is] = records.map(inputsApart);
  return comparedFields.filter((field) => !isDeepStrictEqual(was?.[field], is?.[field]));
}
