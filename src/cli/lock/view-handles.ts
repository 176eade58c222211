import { z } from 'zod';
import { ExitError, exitCodes } from '../../config/exit.ts';
import { unreachable } from './lock-source.ts';

const timeout_ms = 30_000;
const pageSize = 100;
/** A view of more listings is cut here: each of them is read when it is locked. */
const mostPages = 100;

const page = z.object({
  servers: z.array(z.object({ server: z.object({ name: z.string() }) })),
  metadata: z.object({ nextCursor: z.string().optional() }),
});

async function readPage(base: string, view: string, cursor: string | undefined) {
  const query = new URLSearchParams({ limit: String(pageSize), ...(cursor && { cursor }) });
  const url = `${base}/views/${encodeURIComponent(view)}/v0.1/servers?${query}`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeout_ms) }).catch((error: unknown) => {
    throw unreachable(url, error instanceof Error ? error.message : 'no answer');
  });
  if (answer.status === 404)
    throw new ExitError(exitCodes.usage, `${base} has no view ${view}; ${base}/views has those it has`);
  const read = answer.ok ? page.safeParse(await answer.json().catch(() => undefined)).data : undefined;
  if (!read) throw unreachable(url, answer.ok ? 'no page of a registry' : `HTTP status ${answer.status}`);
  return read;
}

/** The handles of the listings that are in a view of a Dossier now, at most 10,000. Throws ExitError. */
export async function readViewHandles(from: string | undefined, view: string): Promise<string[]> {
  if (from === undefined || !/^https?:/i.test(from))
    throw new ExitError(
      exitCodes.usage,
      '--view reads the listings of a view from a running Dossier; name its address with --from or DOSSIER_URL',
    );
  const base = from.replace(/\/+$/, '');
  const handles: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const { servers, metadata } = await readPage(base, view, cursor);
    handles.push(...servers.map(({ server }) => server.name));
    cursor = metadata.nextCursor;
    if (cursor === undefined) break;
  }
  if (handles.length === 0)
    throw new ExitError(exitCodes.usage, `no listing is in the view ${view} of ${base}; nothing was written`);
  return handles;
}
