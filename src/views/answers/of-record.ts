import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { inputsText } from '../../evidence/listing/sentences/inputs-text.ts';
import { sourcesFirst } from '../../evidence/listing/sentences/snapshot.ts';
import type { Question } from '../../evidence/observation/question.ts';
import { named } from '../../evidence/text/markdown-text.ts';
import type { Known } from './answer.ts';

type Fact = Pick<Known, 'title' | 'text' | 'means' | 'subjects'>;

/** What callers must supply, by what it says: several endpoints often need the same. */
function inputsOf({ remotes, packages }: ListingDocument): Fact[] {
  const places = [
    ...remotes.map(({ url, inputs }) => ({ at: url, needs: inputsText(inputs) })),
    ...packages.map(({ identifier, inputs }) => ({ at: identifier, needs: inputsText(inputs) })),
  ];
  const byNeeds = Map.groupBy(places, ({ needs }) => needs ?? '');
  return [...byNeeds]
    .filter(([needs]) => needs !== '')
    .map(([needs, at]) => ({
      title: 'Inputs',
      text: needs,
      means: 'What the publisher recorded that a caller must or may send.',
      subjects: places.length > 1 ? at.map((place) => place.at) : [],
    }));
}

const ratingsOf = ({ signals: { native } }: ListingDocument): Fact[] =>
  native.ratings === 0
    ? []
    : [
        {
          title: 'Native ratings',
          text: sourcesFirst(native),
          means: 'Ratings made on this service by claimed listings; they stand below, each with its source.',
          subjects: [],
        },
      ];

const websiteOf = ({ website }: ListingDocument): Fact[] =>
  website === undefined
    ? []
    : [
        {
          title: 'Website',
          text: named(website),
          means: 'The website that the publisher recorded.',
          subjects: [],
        },
      ];

const byQuestion: Partial<Record<Question, (listing: ListingDocument) => Fact[]>> = {
  access: inputsOf,
  publisher: websiteOf,
  ratings: ratingsOf,
};

/** What fields of the listing document itself answer. */
export const fromRecord = (listing: ListingDocument, question: Question): Known[] =>
  (byQuestion[question]?.(listing) ?? []).map((fact) => ({
    ...fact,
    source: question === 'ratings' ? 'this service' : listing.origin,
    at: question === 'ratings' ? listing.evidence_snapshot_date : listing.observed_at,
  }));
