import { afterEach, beforeEach } from 'vitest';
import { type DomainDirectory, openDomainDirectory } from './domain-directory.ts';

/** Opens a service before each test of a file, and closes it after. */
export function openEach(...how: Parameters<typeof openDomainDirectory>): DomainDirectory {
  const service = {} as DomainDirectory;
  beforeEach(async () => void Object.assign(service, await openDomainDirectory(...how)));
  afterEach(() => service.close());
  return service;
}

/** In its place, with other listings and domains. */
export async function reopen(service: DomainDirectory, ...how: Parameters<typeof openDomainDirectory>) {
  await service.close();
  Object.assign(service, await openDomainDirectory(...how));
}
