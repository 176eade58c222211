import { isHandle } from '../../evidence/handle.ts';
import { Problem } from '../../problem.ts';
import type { Request } from '../environment.ts';

/** A handle as an address names it, and the ending that asks for another form. */
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

/** The listing an address names. A listing whose name ends like a form wins over that form. */
export async function listingOf(c: Request, endings: readonly string[]): Promise<NamedListing> {
  const written = `${c.req.param('namespace')}/${c.req.param('name')}`;
  const ending = endings.find((text) => written.endsWith(text));
  const stripped = ending && { handle: written.slice(0, -ending.length), ending };
  if (!stripped || !isHandle(stripped.handle)) return { handle: handleOf(c), ending: '' };
  const exact = isHandle(written) && (await c.get('context').store.listings.row(written));
  return exact ? { handle: written, ending: '' } : stripped;
}

/** The handles whose writes can change what an address with an ending answers: the name as written, and without. */
export function namesOf(c: Request): string[] {
  const written = `${c.req.param('namespace')}/${c.req.param('name')}`;
  return [...new Set([written, written.replace(/\.(json|md|svg)$/, '')])];
}

/** Runs `work`; where the handle is unknown but for its capitals, redirects to the right one's address instead. */
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
