import type { NoAnswer } from '../observation/answer.ts';
import type { EndpointLook } from '../observation/endpoint-look.ts';
import type { Look, Subject } from '../observation/look.ts';
import type { Finding } from '../observation/observation.ts';

/** How sources name our own checks. */
export const ownProbe = 'Dossier';

/** A fact that could not be learned, with the state and reason of what stood in its way. */
export const withoutAnswer = ({ result, reason }: NoAnswer, subject?: string): Finding => ({
  ...(subject !== undefined && { subject }),
  value: null,
  state: result,
  reason,
  source: ownProbe,
});

const uncheckable: NoAnswer = {
  result: 'not_checked',
  reason: 'No remote endpoint is recorded, and Dossier does not run packages.',
};

type Made = Omit<Finding, 'subject' | 'source' | 'source_url'>;

/**
 * One fact for each remote of the look, made of what the endpoint sent. A listing without remotes has one,
 * `not_checked`.
 */
export async function ofRemotes(
  look: Look,
  toFinding: (endpoint: EndpointLook) => Made | undefined | Promise<Made | undefined>,
): Promise<readonly Finding[]> {
  const { remotes } = look.listing;
  if (remotes.length === 0) return [withoutAnswer(uncheckable)];
  const found: Finding[] = [];
  for (const remote of remotes) {
    const endpoint = await look.endpoint(remote);
    const { url } = remote;
    if (endpoint.result !== 'answered') {
      found.push(withoutAnswer(endpoint, url));
      continue;
    }
    const finding = await toFinding(endpoint);
    if (finding) found.push({ subject: url, ...finding, source: ownProbe, source_url: url });
  }
  return found;
}

/** The origins of the http and https remotes of a look; without those of templates. */
export function originsOf({ remotes }: Subject): string[] {
  const urls = remotes.filter(({ url }) => !/[{}]/.test(url)).map(({ url }) => URL.parse(url));
  const origins = urls.flatMap((url) => (url && /^https?:$/.test(url.protocol) ? [url.origin] : []));
  return [...new Set(origins)];
}
