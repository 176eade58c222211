import { ownMember } from '../../../../core/json.ts';
import { code, own, say, type Words } from '../../../../core/words.ts';
import type { Listing } from '../../../../listings/listing.ts';
import { typeOf } from '../../../asked/published/recorded.ts';
import type { ShownFinding } from '../../kind.ts';

export const isOnNpmOrPypi = ({ packages }: Pick<Listing, 'packages'>): boolean =>
  packages.some(({ registry_type }) => /^(?:npm|pypi)$/i.test(registry_type));

export const isLookedUp = ({ packages }: Pick<Listing, 'packages'>): boolean =>
  packages.some(({ registry_type }) => typeOf(registry_type));

const packagePages: Readonly<Record<string, (identifier: string, version?: string) => string>> = {
  npm: (name, version) => `https://www.npmjs.com/package/${name}${version ? `/v/${version}` : ''}`,
  pypi: (name, version) => `https://pypi.org/project/${name}/${version ? `${version}/` : ''}`,
  nuget: (name, version) => `https://www.nuget.org/packages/${name}${version ? `/${version}` : ''}`,
  cargo: (name, version) => `https://crates.io/crates/${name}${version ? `/${version}` : ''}`,
};

export const packagePage = (type: string, name: string, version?: string): string | undefined =>
  ownMember(packagePages, type)?.(name, version);

export function subjectWords(subject: string): Words {
  const [, url, place] = /^(\S+) in (\S.*)$/.exec(subject) ?? [];
  if (url !== undefined && place !== undefined) return say`${code(url)} in ${code(place)}`;
  const [, type = '', name = '', version] =
    /^([a-z]+):(@?[^@:/]+(?:\/[^@:/]+)?)(?:@(.+))?$/.exec(subject) ?? [];
  return code(subject, packagePage(type, name, version));
}

export const packageOf = (subject: string | undefined): Words =>
  subject === undefined ? own('the package') : subjectWords(subject);

export const versionOf = ({ details }: Pick<ShownFinding, 'details'>): Words =>
  typeof details?.version === 'string' ? say`version ${code(details.version)}` : own('the recorded version');
