import { heavyShapes } from '../../../test/support/heavy-records.ts';
import { toHandles } from '../../synthetic.ts';

/** Listings of others that nothing is asked of. */
export const plain = 1000;
export const plainHandles: readonly string[] = toHandles(plain, plain);

/** The handle of one of them. */
export const toPlainHandle = (at: number): string => plainHandles[at] ?? '';

/** A listing with as many versions as a registry lets one have. */
export const manyVersions = 'com.example.versions/agent';

/** A listing for each shape of heavy records. */
export const heavyHandles: readonly string[] = Object.keys(heavyShapes).map(
  (_, at) => `com.heavy${at}/agent`,
);
