import { createServiceClient, ServiceUnreadable } from '../audit/service.ts';
import { parseForeignJson } from '../core/json.ts';
import { ExitError, exitCodes, usageError } from '../core/process.ts';

/** Whether `from` names a Dossier by its address, not a file. */
export const isAddress = (from: string | undefined): from is string =>
  from !== undefined && /^https?:/i.test(from);

/**
 * The address of a Dossier without slashes at its end. Throws ExitError if it has what may be secret: it is
 * printed, and a lock file has it.
 */
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

/**
 * The status and JSON of an answer of a Dossier, at most 8 MiB, undefined for any other body; what is sent is
 * posted. Throws ExitError.
 */
export async function ask(
  base: string,
  path: string,
  sent?: object,
): Promise<{ status: number; json: unknown }> {
  const { status, body } = await createServiceClient(base)(path, sent).catch((error: unknown) => {
    throw error instanceof ServiceUnreadable ? unreachable(error.message) : error;
  });
  return { status, json: parseForeignJson(body.toString('utf8')) };
}
