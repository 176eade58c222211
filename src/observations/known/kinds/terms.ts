import { z } from 'zod';
import { asMembers, asObject, readObject } from '../../../core/json.ts';
import { toLine } from '../../../core/text.ts';
import { code, codes, day, eachCode, listed, own, say, type Words } from '../../../core/words.ts';
import type { Fetched } from '../../../net/answer.ts';
import { withCheckedRemotes } from '../../asked/checked-remotes.ts';
import { toTime } from '../../asked/published/document.ts';
import type { CheckedListing, CheckRun } from '../../asked/run.ts';
import { defineKind } from '../kind.ts';
import type { Finding } from '../observation.ts';
import { ofOrigins, originsOf, ownProbe, withoutAnswer } from './remotes.ts';

const mostLines = 500;
const mostContacts = 5;
const contactForm = /^(?:mailto:|https:\/\/|tel:)[\x21-\x7e]{1,300}$/i;

/** Other lines of a signed file match no field. */
const valuesOf = (lines: readonly string[], field: string): string[] =>
  lines
    .filter((line) => line.toLowerCase().startsWith(`${field}:`))
    .map((line) => toLine(line.slice(field.length + 1)));

function readSecurityTxt(text: string) {
  const lines = text.slice(0, 64 * 1024).split(/\r?\n/, mostLines);
  const contacts = valuesOf(lines, 'contact').filter((contact) => contactForm.test(contact));
  if (contacts.length === 0) return undefined;
  const expires = toTime(valuesOf(lines, 'expires')[0]);
  const policy = valuesOf(lines, 'policy').find((link) => contactForm.test(link));
  return {
    contacts: contacts.slice(0, mostContacts),
    ...(expires !== undefined && { expires }),
    ...(policy && { policy }),
  };
}

function fault(expires: string | undefined, now: Date): Words | undefined {
  if (expires === undefined) return own('The file states no readable date of expiry; RFC 9116 requires one.');
  return Date.parse(expires) < now.getTime()
    ? say`The file expired on ${day(expires)}; RFC 9116 says not to use an expired file.`
    : undefined;
}

function contactFinding({ text }: Fetched, { now }: CheckRun) {
  const found = readSecurityTxt(text);
  if (!found) return undefined;
  const why = fault(found.expires, now);
  const { expires, ...value } = found;
  // Many hosts set a new expiry with each answer, so it is no part of the value.
  return {
    value,
    outcome: 'seen' as const,
    ...(why && { why }),
    ...(expires !== undefined && { details: { expires, ...(why && { is_expired: true }) } }),
  };
}

export const securityContact = defineKind({
  kind: 'security.contact',
  value: z.strictObject({
    /** By the publisher's preference (RFC 9116 section 2.5.3). */
    contacts: z.array(z.string()),
    policy: z.string().optional(),
  }),
  say: ({ value: { contacts, policy } }) =>
    say`${codes(contacts)}${policy !== undefined && say`; policy ${code(policy)}`}`,
  isSeldom: true,
  saidIn: 'whose',
  sayInLine({ value: { contacts }, details }) {
    const shown = codes(contacts, 1);
    return say`security contact ${shown}${details?.is_expired === true && own(', from a file that has expired')}`;
  },
  question: 'publisher',
  title: 'Security contact',
  means:
    'The contacts in the security.txt file (RFC 9116) of the endpoint’s host, at most five in the file’s order, and the policy that the file links.',
  doesNotMean:
    'Dossier has not tried the contacts. The file speaks for the host, which may serve other services too.',
  method_version: 'security/2',
  ...ofOrigins('/.well-known/security.txt', own('a security contact (RFC 9116)'), contactFinding),
});

function toLink(stated: unknown, base: string): string | undefined {
  const url = typeof stated === 'string' && stated.length <= 1000 ? URL.parse(stated, base) : null;
  return url && /^https?:$/.test(url.protocol) && url.username + url.password === '' ? url.href : undefined;
}

const relation = /(?:^|\s)terms-of-service(?:\s|$)/i;
const attribute = (tag: string, name: string) =>
  new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(tag)?.slice(1).find(Boolean);

function termsOfPage({ text, url }: Fetched): string | undefined {
  return text
    .matchAll(/<(?:a|link)\s[^<>]{1,2000}>/gi)
    .filter(([tag]) => relation.test(attribute(tag, 'rel') ?? ''))
    .map(([tag]) => toLink(attribute(tag, 'href')?.replaceAll('&amp;', '&'), url))
    .find(Boolean);
}

const termsOfOpenapi = ({ text, url }: Fetched): string | undefined =>
  toLink(asObject(readObject(text)?.info)?.termsOfService, url);

function termsOfAiCatalog({ text, url }: Fetched): string | undefined {
  const { host, entries } = readObject(text) ?? {};
  return [host, ...(Array.isArray(entries) ? entries.slice(0, 1000) : [])]
    .values()
    .map(asMembers)
    .map((one) => toLink(asMembers(one.trustManifest).termsOfServiceUrl ?? one.termsOfServiceUrl, url))
    .find(Boolean);
}

function termsPlaces(listing: CheckedListing) {
  const { website } = listing;
  const places = [
    ...(website === undefined ? [] : [{ url: website, read: termsOfPage }]),
    ...originsOf(listing).flatMap((origin) => [
      { url: `${origin}/.well-known/ard.json`, read: termsOfAiCatalog },
      { url: `${origin}/.well-known/ai-catalog.json`, read: termsOfAiCatalog },
      { url: `${origin}/openapi.json`, read: termsOfOpenapi },
    ]),
  ];
  return places.filter(({ url }, at) => places.findIndex((place) => place.url === url) === at);
}
type TermsPlace = ReturnType<typeof termsPlaces>[number];

async function askForTerms(run: CheckRun, { url, read }: TermsPlace): Promise<Finding<string>> {
  const place = { subject: url, source: ownProbe, source_url: url };
  const answer = await run.get(url);
  if (answer.result !== 'response') return { ...withoutAnswer(answer), ...place, rule: 'rare' };
  const link = read(answer);
  if (link !== undefined) return { ...place, value: link, outcome: 'seen' };
  const why = say`${code(url)} has no link to terms of service.`;
  return { ...place, value: null, outcome: 'nothing', why, rule: 'unsure' };
}

const allOf = (places: readonly TermsPlace[]) => places.map(({ url }) => url).join(' ');

/** If a document could not be read, the fact has the outcome of the first such document. */
function withoutLink(places: readonly TermsPlace[], answers: readonly Finding[]): Finding<never> {
  const open = answers.find(({ outcome }) => outcome !== 'nothing' && outcome !== 'absent');
  const shown = listed(eachCode(places.map(({ url }) => url.slice(0, 200))), 3);
  const why = open?.why ?? say`Dossier found no link to terms of service at ${shown}.`;
  const outcome = open?.outcome ?? 'nothing';
  return { recorded: allOf(places), value: null, outcome, why, source: ownProbe, rule: 'together' };
}

export const termsUrl = defineKind({
  kind: 'terms.url',
  unstated: {
    what: own('terms of use'),
    fields: /terms|tos|legal|policy|agreement|compliance/i,
    readIn: own(
      'a link with rel="terms-of-service" on the recorded website, or at the endpoint’s host the OpenAPI document, the ARD manifest or the AI catalog',
    ),
  },
  value: z.string(),
  say: ({ value }) => code(value),
  name: 'terms',
  isSeldom: true,
  saidIn: 'whose',
  sayInLine: ({ value }) => say`terms of use ${code(value)}`,
  question: 'terms',
  title: 'Terms of use',
  means:
    'A link to terms of service. It is on the website (rel="terms-of-service"), in the ARD manifest or AI catalog (termsOfServiceUrl), or in the OpenAPI document (info.termsOfService).',
  doesNotMean: 'Dossier has not read the terms, and does not say whether they apply to a caller.',
  method_version: 'terms/2',
  about(listing) {
    const places = termsPlaces(withCheckedRemotes(listing));
    return [...places.map(({ url }) => ({ subject: url })), { recorded: allOf(places) }];
  },
  isOptional: true,
  async check(run) {
    const places = termsPlaces(run.listing);
    if (places.length === 0) return [];
    const answers = await Promise.all(places.map((place) => askForTerms(run, place)));
    const isFound = answers.some(({ outcome }) => outcome === 'seen');
    return isFound ? answers : [...answers, withoutLink(places, answers)];
  },
});
