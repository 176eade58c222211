import type { Fetched } from '../../observation/answer.ts';
import { defineKind } from '../../observation/kind.ts';
import type { Look, Subject } from '../../observation/look.ts';
import type { Finding } from '../../observation/observation.ts';
import { originsOf, ownProbe, withoutAnswer } from '../remotes.ts';
import { termsOfAiCatalog, termsOfOpenapi, termsOfPage } from './terms-links.ts';

/** A place that may link to terms, and how its link is read. */
interface Place {
  readonly url: string;
  readonly read: (answer: Fetched) => string | undefined;
}

/** The website's page, then of each origin of an endpoint its AI catalog and its OpenAPI document. */
function placesOf(listing: Subject): Place[] {
  const { website } = listing;
  const places = [
    ...(website === undefined ? [] : [{ url: website, read: termsOfPage }]),
    ...originsOf(listing).flatMap((origin) => [
      { url: `${origin}/.well-known/ai-catalog.json`, read: termsOfAiCatalog },
      { url: `${origin}/openapi.json`, read: termsOfOpenapi },
    ]),
  ];
  return places.filter(({ url }, at) => places.findIndex((place) => place.url === url) === at);
}

async function ask(look: Look, { url, read }: Place): Promise<Finding> {
  const place = { subject: url, source: ownProbe, source_url: url };
  const answer = await look.get(url);
  if (answer.result !== 'response') return { ...withoutAnswer(answer), ...place, onlyIfSeen: true };
  const link = read(answer);
  if (link !== undefined) return { ...place, value: link, state: 'observed' };
  const reason = `${url} answered without a link to terms of service.`;
  return { ...place, value: null, state: 'not_found', reason, mayPass: true, onlyIfSeen: true };
}

/** What a fact about all of the places is about. */
const allOf = (places: readonly Place[]) => places.map(({ url }) => url).join(' ');

/** What to say where no place has a link: that none was found, unless some gave no answer. */
function withoutLink(places: readonly Place[], answers: readonly Finding[]): Finding {
  const open = answers.find(({ state }) => state !== 'not_found');
  const named = places
    .map(({ url }) => url)
    .join(', ')
    .slice(0, 200);
  const reason = open?.reason ?? `Dossier found no link to terms of service at ${named}.`;
  const state = open?.state ?? 'not_found';
  return { recorded: allOf(places), value: null, state, reason, source: ownProbe, unlessSeen: true };
}

/** Where the terms of use are, as the website or the endpoint's host says. */
export const termsUrl = defineKind({
  kind: 'terms.url',
  question: 'terms',
  title: 'Terms of use',
  means:
    'A link that the website (rel="terms-of-service"), the AI catalog (termsOfServiceUrl) or the OpenAPI document (info.termsOfService) gives as terms of service.',
  doesNotMean: 'Dossier has not read the terms, and does not say whether they hold for a caller.',
  method_version: 'terms/1',
  about(listing) {
    const places = placesOf(listing);
    return [...places.map(({ url }) => ({ subject: url })), { recorded: allOf(places) }];
  },
  isOptional: true,
  async check(look) {
    const places = placesOf(look.listing);
    if (places.length === 0) return [];
    const answers = await Promise.all(places.map((place) => ask(look, place)));
    const isFound = answers.some(({ state }) => state === 'observed');
    return isFound ? answers : [...answers, withoutLink(places, answers)];
  },
});
