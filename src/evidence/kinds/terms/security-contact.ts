import { defineKind } from '../../observation/kind.ts';
import type { Look } from '../../observation/look.ts';
import type { Finding } from '../../observation/observation.ts';
import { originsOf, ownProbe, withoutAnswer } from '../remotes.ts';
import { readSecurityTxt } from './security-txt.ts';

/** What RFC 9116 says of a file at a time: it must state an end, and must not be used after it. */
function fault(expires: string | undefined, now: Date): string | undefined {
  if (expires === undefined) return 'The file states no end of its validity, which RFC 9116 requires.';
  return Date.parse(expires) < now.getTime()
    ? `The file ended on ${expires.slice(0, 10)}; RFC 9116 says not to use it after that.`
    : undefined;
}

async function ofOrigin(look: Look, origin: string): Promise<Finding> {
  const url = `${origin}/.well-known/security.txt`;
  const answer = await look.get(url);
  if (answer.result !== 'response') return withoutAnswer(answer, origin);
  const found = answer.status === 200 ? readSecurityTxt(answer.text) : undefined;
  const place = { subject: origin, source: ownProbe, source_url: url };
  if (!found) {
    const reason = `${url} answered with HTTP status ${answer.status} and no security contact (RFC 9116).`;
    return { ...place, value: null, state: 'not_found', reason };
  }
  const reason = fault(found.expires, look.now);
  return {
    ...place,
    value: found.contacts[0] ?? null,
    state: 'observed',
    ...(reason && { reason }),
    details: { ...found },
  };
}

/** Whom to tell about a vulnerability, as the host of an endpoint states it. */
export const securityContact = defineKind({
  kind: 'security.contact',
  question: 'publisher',
  title: 'Security contact',
  means: 'The first contact in the security.txt file (RFC 9116) of the endpoint’s host.',
  doesNotMean: 'Dossier has not written to it; it speaks for the host, which may serve others too.',
  method_version: 'security/1',
  applies: () => false,
  check: (look) => Promise.all(originsOf(look.listing).map((origin) => ofOrigin(look, origin))),
});
