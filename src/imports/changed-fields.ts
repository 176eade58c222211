import { isDeepStrictEqual } from 'node:util';
import type { DerivedVersion, Listing } from '../listings/listing.ts';

const longestValue = 100;

const comparedFields = [
  ...(['title', 'description', 'version', 'origin_status', 'status_message', 'endpoint'] as const),
  ...([
    'remotes',
    'packages',
    'package_versions',
    'file_sha256',
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
  packages: packages.map(({ inputs: _, file_sha256: __, version, identifier, ...one }) => ({
    ...one,
    // Names of images end with their version.
    identifier: version === undefined ? identifier : identifier.replace(`:${version}`, ''),
  })),
  package_versions: packages.map(({ version }) => version),
  file_sha256: packages.map(({ file_sha256 }) => file_sha256),
  inputs: [...remotes, ...packages].flatMap(({ inputs = [] }) => inputs),
});

const shortFields = ['package_versions', 'website'] as const;

/** Of short fields that differ, both values; null if there is none. Titles are texts, which may be hidden. */
export function changedValues(...records: Parameters<typeof changedFields>): DerivedVersion['values'] {
  const changed = changedFields(...records);
  const [was, is] = records.map(inputsApart);
  const textOf = (value: unknown) => [...new Set([value].flat().filter(Boolean))].join(', ') || null;
  const values = shortFields
    .filter((field) => changed.includes(field))
    .map((field) => [field, [textOf(was?.[field]), textOf(is?.[field])]] as const)
    .filter(([, both]) => both.every((text) => (text ?? '').length <= longestValue) && both[0] !== both[1]);
  return values.length > 0 ? Object.fromEntries(values) : undefined;
}

/** That differ between two imports or two versions. */
export function changedFields(
  ...records: readonly [...Parameters<typeof inputsApart>, ...Parameters<typeof inputsApart>]
) {
  const [was, is] = records.map(inputsApart);
  return comparedFields.filter((field) => !isDeepStrictEqual(was?.[field], is?.[field]));
}
