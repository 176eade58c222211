import type { Fetched, NoAnswer } from '../../observation/answer.ts';
import { defineKind } from '../../observation/kind.ts';
import type { Look } from '../../observation/look.ts';
import type { Finding } from '../../observation/observation.ts';
import { originsOf, ownProbe, withoutAnswer } from '../remotes.ts';
import { termsOfAiCatalog, termsOfOpenapi, termsOfPage } from './terms-links.ts';

/** A place that may link to terms, and how its link is read. */
interface Place {
  readonly url: string;
  readonly read: (answer: Fetched) => string | undefined;
}

/** The website's page, then of each origin of an endpoint its AI catalog and its OpenAPI document. */
function placesOf({ listing }: Look): Place[] {
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

async function ask(look: Look, { url, read }: Place): Promise<Finding | NoAnswer | undefined> {
  const answer = await look.get(url);
  if (answer.result !== 'response') return answer;
  const link = answer.status === 200 ? read(answer) : undefined;
  return link === undefined
    ? undefined
    : { subject: url, value: link, state: 'observed', source: ownProbe, source_url: url };
}

const isFinding = (one: Finding | NoAnswer): one is Finding => 'state' in one;

/** What to say where no place has a link: that none was found, unless no place answered. */
function withoutLink(places: readonly Place[], answers: readonly (NoAnswer | undefined)[]): Finding {
  const [failed] = answers;
  if (failed && answers.every((one) => one !== undefined)) return withoutAnswer(failed);
  const reason = `Dossier found no link to terms of service at ${places
    .map(({ url }) => url)
    .join(', ')
    .slice(0, 500)}.`;
  return { value: null, state: 'not_found', reason, source: ownProbe };
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
  applies: () => false,
  async check(look) {
    const places = placesOf(look);
    if (places.length === 0) return [];
    const answers = await Promise.all(places.map((place) => ask(look, place)));
    const found = answers.filter((one) => one !== undefined).filter(isFinding);
    if (found.length > 0) return found;
    return [withoutLink(places, answers as (NoAnswer | undefined)[])];
  },
});
