import { isHandle } from '../../evidence/handle.ts';
import { Problem } from '../../problem.ts';
import { isKnown } from '../../tools/support/find-listing.ts';
import type { Request } from '../environment.ts';

/** A handle in an address, and the ending that selects another representation. */
export interface NamedListing {
  readonly handle: string;
  readonly ending: string;
}

/** The handle in the address, as `/:namespace/:name`; throws invalid_handle. */
export function handleOf(c: Request): string {
  const handle = `${c.req.param('namespace')}/${c.req.param('name')}`;
  if (!isHandle(handle)) throw new Problem('invalid_handle');
  return handle;
}

/** The listing an address names. A listing whose own name has such an ending takes precedence over the other form. */
export async function listingOf(c: Request, endings: readonly string[]): Promise<NamedListing> {
  const written = `${c.req.param('namespace')}/${c.req.param('name')}`;
  const ending = endings.find((text) => written.endsWith(text));
  const stripped = ending && { handle: written.slice(0, -ending.length), ending };
  if (!stripped || !isHandle(stripped.handle)) return { handle: handleOf(c), ending: '' };
  return (await isKnown(written, c.get('context'))) ? { handle: written, ending: '' } : stripped;
}

/** The cache tags of an address that may have an ending: the handle with the ending and without it. */
export function namesOf(c: Request): string[] {
  const written = `${c.req.param('namespace')}/${c.req.param('name')}`;
  return [...new Set([written, written.replace(/\.(json|md|svg)$/, '')])];
}

/** Runs `work`; if the handle is unknown but a listing differs in capitals only, redirects to that listing's address. */
export async function orRedirect(
  c: Request,
  handle: string,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    const near = error instanceof Problem && error.code === 'unknown_handle' ? error.facts.near : [];
    const twin = near?.find((other) => other.toLowerCase() === handle.toLowerCase());
    if (!twin) throw error;
    const { pathname, search } = new URL(c.req.url);
    return c.redirect(decodeURIComponent(pathname).replace(handle, () => twin) + search, 308);
  }
}
