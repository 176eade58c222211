import type { ListingPackage } from '../listing-document.ts';

/** A package as `npm example@1.0.0 over stdio`. */
export const packageText = ({ registry_type, identifier, version, transport }: ListingPackage): string =>
  `${registry_type} ${identifier}${version ? `@${version}` : ''}${transport ? ` over ${transport}` : ''}`;
