import { code, own, say, type Words } from '../../core/words.ts';
import type { Listing } from '../../listings/listing.ts';
import type { ShownFinding } from '../kind.ts';

/** Whether a record names a package on a registry whose packages have all of these facts. */
export const isOnNpmOrPypi = ({ packages }: Pick<Listing, 'packages'>): boolean =>
  packages.some(({ registry_type }) => /^(?:npm|pypi)$/i.test(registry_type));

/** Whether a record names a package that is looked up, other than an image. */
export const isLookedUp = ({ packages }: Pick<Listing, 'packages'>): boolean =>
  packages.some(({ registry_type }) => /^(?:npm|pypi|nuget|cargo|mcpb)$/i.test(registry_type));

export const packageOf = (subject: string | undefined): Words =>
  subject === undefined ? own('the package') : code(subject);

/** The version that a fact is about: the recorded one, or the newest if none is recorded. */
export const versionOf = ({ details }: Pick<ShownFinding, 'details'>): Words =>
  typeof details?.version === 'string' ? say`version ${code(details.version)}` : own('the recorded version');
