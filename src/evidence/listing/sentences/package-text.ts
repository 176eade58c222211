import { named } from '../../text/markdown-text.ts';
import type { ListingPackage } from '../listing-document.ts';

/** A package as `npm example@1.0.0 over stdio`. */
export const packageText = ({ registry_type, identifier, version, transport }: ListingPackage): string =>
  `${named(registry_type)} ${named(version ? `${identifier}@${version}` : identifier)}${transport ? ` over ${named(transport)}` : ''}`;
