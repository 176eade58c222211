import { isDeepStrictEqual } from 'node:util';
import type { DerivedVersion, Listing } from '../listings/listing.ts';
import { shortened } from '../listings/moves.ts';
import { nameOfStarted, versionInFile } from '../listings/naming.ts';
import { isAddress } from '../listings/references/command.ts';

const longestValue = 200;
const mostValues = 10;

const shortFields = [
  ...(['website', 'package_versions', 'version_in_address'] as const),
  ...(['package_address', 'package_transport', 'file_sha256'] as const),
];
const comparedFields = [
  ...(['title', 'description', 'version', 'origin_status', 'status_message', 'endpoint'] as const),
  ...(['remotes', 'packages', ...shortFields.slice(1), 'package_settings', 'package_environment'] as const),
  ...(['inputs', 'repository', 'repository_folder', 'website', 'keywords', 'tags'] as const),
];
type ComparedField = (typeof comparedFields)[number];
type ComparedValues = Partial<Record<ComparedField, unknown>>;
type ComparedRecord = ComparedValues & Pick<Listing, 'remotes' | 'packages'>;

function ofPackage({ version = '', identifier, ...recorded }: Listing['packages'][number]): ComparedValues {
  const { registry_type: _, registry_base_url: __, inputs, file_sha256, ...read } = recorded;
  const { transport, transport_url, environment: package_environment, ...settings } = read;
  const words = JSON.stringify(settings);
  const address = isAddress(identifier) ? identifier : undefined;
  const inAddress = address?.match(versionInFile)?.map((text) => text.replace(/^[-_.]?v?/i, ''));
  const versions = new Set(inAddress).difference(new Set([version]));
  return {
    inputs,
    file_sha256,
    package_transport: [transport, transport_url].filter(Boolean).join(' at ') || undefined,
    package_environment,
    package_versions: version || undefined,
    version_in_address: [...versions].join(', ') || undefined,
    package_address: address?.replace(versionInFile, (text) => text.replace(/v?\d.*/i, '{version}')),
    package_settings: /\d\.\d/.test(version) ? words.replaceAll(version, '{version}') : words,
  };
}

/** Of the record, named '', also what its parts are and ask for. Parts with one name are one. */
function valuesByPart({ remotes, packages, ...fields }: ComparedRecord) {
  const parts: (readonly [part: string, ComparedValues])[] = [
    ...remotes.map(
      ({ type, url, inputs, ...more }) => [`${type} ${url}`, { remotes: more, inputs }] as const,
    ),
    ...packages.map((one) => [nameOfStarted(one)[0], ofPackage(one)] as const),
  ];
  const asked = Map.groupBy(
    [...remotes, ...packages].flatMap(({ inputs = [] }) => inputs),
    ({ name }) => name,
  );
  const inputs = [...asked].map(([name, all]) => [name, all.some(({ required }) => required)]);
  const named = parts.map(([part, one]) => ['', { [one.remotes ? 'remotes' : 'packages']: part }] as const);
  return Map.groupBy([['', { ...fields, inputs }] as const, ...named, ...parts], ([part]) => part);
}

const textsIn = (values: readonly (readonly [string, ComparedValues])[], field: ComparedField): string[] => {
  const all = values.flatMap(([, { [field]: value }]) => (field === 'inputs' ? value : [value]));
  const read = all.filter((value) => value !== undefined);
  return [...new Set(read.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))))].sort();
};

/**
 * `fields` differ between two imports or two versions, in the record itself or in a part that both name.
 * `values`: both of short fields, null if there is none, behind a field also the part unless all are alike.
 * Titles are texts, which may be hidden.
 */
export function changesBetween(was: ComparedRecord, is: ComparedRecord) {
  const before = valuesByPart(was);
  const found = [...valuesByPart(is)].flatMap(([part, values]) =>
    comparedFields.flatMap((field) => {
      const both = [before.get(part) ?? values, values].map((all) => textsIn(all, field));
      const pair = both.map((texts) => texts.join(', ') || null);
      return isDeepStrictEqual(both[0], both[1]) ? [] : { part, field, pair };
    }),
  );
  const packages = new Set(is.packages.map((one) => nameOfStarted(one)[0]));
  const short = [...Map.groupBy(found, ({ field }) => field)].flatMap(([field, all]) => {
    const isLong = all.some(({ pair }) => pair.some((text) => (text?.length ?? 0) > longestValue));
    if (!shortFields.some((one) => one === field) || isLong || all.length > mostValues) return [];
    const areAlike =
      all.length === packages.size && new Set(all.map(({ pair }) => pair.join('\n'))).size === 1;
    return all.map(({ part, pair }) => [areAlike ? field : `${field} ${shortened(part)}`.trim(), pair]);
  });
  return {
    fields: comparedFields.filter((field) => found.some((one) => one.field === field)),
    values: short.length > 0 ? (Object.fromEntries(short) as DerivedVersion['values']) : undefined,
  };
}
