import { createServiceClient, ServiceUnreadable } from '../audit/service.ts';
import { parseForeignJson } from '../core/json.ts';
import { ExitError, exitCodes, usageError } from '../core/process.ts';

/** An address is printed and locked, so nothing in it may be secret. */
export function toBase(from: string): string {
  const { username, password, search, hash } = URL.parse(from) ?? { search: from };
  if (username || password || search || hash)
    throw usageError(
      'the address of a Dossier is http(s), and has no user name, password, query or fragment',
    );
  return from.replace(/\/+$/, '');
}

export const unreachable = (why: string) =>
  new ExitError(exitCodes.upstreamUnavailable, `${why}; nothing was compared`);

/** `json` is undefined for other bodies. */
export async function ask(base: string, path: string, sent?: object) {
  const { status, body } = await createServiceClient(base)(path, sent).catch((error: unknown) => {
    throw error instanceof ServiceUnreadable ? unreachable(error.message) : error;
  });
  return { status, json: parseForeignJson(body.toString('utf8')) };
}
