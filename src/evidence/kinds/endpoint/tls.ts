import { defineKind } from '../../observation/kind.ts';
import type { Look, Subject } from '../../observation/look.ts';
import type { Finding } from '../../observation/observation.ts';
import { named } from '../../text/markdown-text.ts';
import { ownProbe, withoutAnswer } from '../remotes.ts';

async function ofOrigin(look: Look, origin: string): Promise<Finding> {
  const seen = await look.tls(origin);
  if (seen.result !== 'certificate') return withoutAnswer(seen, origin);
  const { issuer, not_after, isTrusted, fault } = seen;
  return {
    subject: origin,
    value: `issued by ${named(issuer)}, valid until ${not_after.slice(0, 10)}`,
    state: 'observed',
    ...(!isTrusted && {
      reason: `This machine's root certificates do not vouch for it: ${fault ?? 'no reason given'}.`,
    }),
    details: { issuer, not_after, accepted_by_root_certificates: isTrusted },
    source: ownProbe,
    source_url: origin,
  };
}

const tlsOrigins = ({ remotes }: Subject): string[] => {
  const urls = remotes.map(({ url }) => URL.parse(url)).filter((url) => url?.protocol === 'https:');
  return [...new Set(urls.map((url) => url?.origin ?? ''))];
};

/** The certificates of the recorded https endpoints, one for each origin. */
export const endpointTls = defineKind({
  kind: 'endpoint.tls',
  question: 'reach',
  title: 'TLS certificate',
  means: 'The certificate that the endpoint’s host presented to Dossier on that date.',
  doesNotMean: 'It says nothing about who runs the service.',
  method_version: 'endpoint/1',
  about: (listing) => tlsOrigins(listing).map((subject) => ({ subject })),
  check: (look) => Promise.all(tlsOrigins(look.listing).map((origin) => ofOrigin(look, origin))),
});
