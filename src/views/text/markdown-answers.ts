import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { code, day, lines, named, paragraphs, toInlineText } from '../../evidence/text/markdown-text.ts';
import type { Answer, Known } from '../answers/answer.ts';
import { otherFacts, toAnswers } from '../answers/answers.ts';

const places = ({ subjects: [first, ...others] }: Known) =>
  first === undefined
    ? ''
    : ` at ${toInlineText(named(first))}${others.length > 0 ? ` and ${others.length} more` : ''}`;

function knownLine(known: Known): string {
  const { title, text, reason, since, source, at } = known;
  const same = since ? `, the same since ${day(since)}` : '';
  const why = reason ? `. ${toInlineText(reason)}` : '';
  return `* ${title}: ${toInlineText(text)}${places(known)}${same} (${toInlineText(source)}, as of ${day(at)})${why}`;
}

const answerText = ({ title, known, notSeen, unknown }: Answer) =>
  paragraphs(
    `### ${title}`,
    lines(
      ...known.map(knownLine),
      ...notSeen.map(
        ({ text, at }) => `* Looked for and not seen: ${toInlineText(text)}${at ? ` at ${code(at)}` : ''}`,
      ),
      ...unknown.map(({ text }) => `* Not known: ${toInlineText(text)}`),
    ),
  );

function others(listing: ListingDocument) {
  const facts = otherFacts(listing);
  return facts.length > 0 && paragraphs('### What else is recorded?', lines(...facts.map(knownLine)));
}

/** What a buyer asks, with every answer, its source and date, and what is not known: as the table of the page. */
export const markdownAnswers = (listing: ListingDocument): string =>
  paragraphs(
    '## What a buyer asks',
    'What is known, with source and date; what was looked for and not seen, with the date; and what is not known: not looked at, or not stated.',
    ...toAnswers(listing).map(answerText),
    others(listing),
  );
