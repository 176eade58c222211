import type { Fetched } from '../../observation/answer.ts';
import { defineKind } from '../../observation/kind.ts';
import { ofPlaces, perOrigin, wellKnown } from '../remotes.ts';
import { readSecurityTxt } from './security-txt.ts';

/** What RFC 9116 says of a file at a time: it must state an end, and must not be used after it. */
function fault(expires: string | undefined, now: Date): string | undefined {
  if (expires === undefined) return 'The file states no end of its validity, which RFC 9116 requires.';
  return Date.parse(expires) < now.getTime()
    ? `The file ended on ${expires.slice(0, 10)}; RFC 9116 says not to use it after that.`
    : undefined;
}

function toFinding({ text }: Fetched, now: Date) {
  const found = readSecurityTxt(text);
  if (!found) return undefined;
  const reason = fault(found.expires, now);
  return {
    value: found.contacts[0] ?? null,
    state: 'observed' as const,
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
  about: perOrigin,
  isOptional: true,
  check: (look) =>
    ofPlaces(look, wellKnown(look.listing, '/.well-known/security.txt'), {
      what: 'security contact (RFC 9116)',
      toFinding: (answer) => toFinding(answer, look.now),
    }),
});
