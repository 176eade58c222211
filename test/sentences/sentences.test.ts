import { expect, it } from 'vitest';
import { foretellCases } from '../../src/claims/foretell/cases.ts';
import { howToReplaceCapability, newClaimCost } from '../../src/claims/foretell/foretell.ts';
import { howToOptOut, optOutEffects, optOutText } from '../../src/claims/foretell/opt-out.ts';
import { claimStatement, whatAClaimShows, whatClaimedMeans } from '../../src/claims/methods.ts';
import { ownerTexts } from '../../src/core/handle.ts';
import { isEmpty, own, toText } from '../../src/core/words.ts';
import { toAnswer, toAnswerWords } from '../../src/document/answers/answers.ts';
import { criteria, criterionNames } from '../../src/document/criteria/criteria.ts';
import { toListingDocument } from '../../src/document/document.ts';
import { toHit } from '../../src/document/hit.ts';
import type { ListingDocument } from '../../src/document/listing-document.ts';
import { nativeStatement, snapshotSentence } from '../../src/document/rated.ts';
import type { ListingFacts } from '../../src/document/record.ts';
import {
  copyLacksSentence,
  type RecordReading,
  savedCopySentence,
  whyNoHistory,
} from '../../src/document/record.ts';
import { rulesOfEvidence } from '../../src/document/sentences.ts';
import { sampleOrigin, sampleOriginOf, sampleSentence } from '../../src/listings/listing.ts';
import { groupOf, groupTexts, overlapStatedLater, type RatingBasis } from '../../src/ratings/groups.ts';
import { proofTexts } from '../../src/ratings/proof.ts';
import { compareStatement } from '../../src/tools/compare-agents.ts';
import { importState } from '../../src/views/import-state.ts';
import { importCases, listing, listingCases, observedCases, time } from './cases.ts';

const handle = listing.handle;
const now = new Date('2026-11-20T08:00:00.000Z');

const toDocument = (facts: ListingFacts): ListingDocument =>
  toListingDocument(
    facts,
    { publicUrl: 'http://127.0.0.1:3000', observeInterval_s: 86_400, hasPages: true, operatorContact: '' },
    now,
  );
const observed = observedCases.map(toDocument);
const documents = [...listingCases.map(toDocument), ...observed];

/** Ratings in all, and the independent ones with their sources. */
const from = (all: number, ratings: number, sources: number) => ({
  ratings: all,
  independent: { ratings, sources },
});
const snapshots = [
  { native: from(0, 0, 0) },
  { native: from(0, 0, 0), copy_at: time },
  { native: from(1, 0, 0) },
  { native: from(243, 243, 1) },
  { native: from(4, 2, 2) },
].map(({ native }) => snapshotSentence(handle, native, time.slice(0, 10)));

const reading = (kind: RecordReading['kind']): RecordReading => ({
  kind,
  observed_at: time,
  hasOlderVersions: false,
  isOfNoDate: false,
  isUndated: false,
  copyLacks: [],
});
const origins = [
  sampleSentence({ origin: sampleOrigin }),
  sampleSentence({ origin: sampleOriginOf('co.webhook/webhook') }),
  savedCopySentence(reading('saved_copy'), listing),
  savedCopySentence({ ...reading('saved_copy'), isOfNoDate: true }, listing),
  ...(['registry', 'saved_copy', 'sample'] as const).map((kind) =>
    toText(whyNoHistory(reading(kind)) ?? own('none')),
  ),
  ...(['endpoint', 'package', 'repository'] as const).map((field) => copyLacksSentence([field], field)),
];

const shown = { kind: 'repository' as const, claimed_at: time, commit: 'a'.repeat(40) };
const optOut = {
  handle,
  state: 'seen' as const,
  listing: undefined,
  kind: 'repository' as const,
  place: '',
  place_key: '',
  seen_at: time,
  checked_at: time,
  missing_at: undefined,
};
const claims = [
  whatAClaimShows,
  whatClaimedMeans('dossier-claim.txt'),
  claimStatement(shown, []),
  claimStatement({ ...shown, proven_commit: 'b'.repeat(40), proven_at: time }, []),
  claimStatement({ ...shown, state: 'claimed', missing: { line: time } }, []),
  claimStatement({ ...shown, state: 'claimed', missing: { line: time, place: time } }, []),
  claimStatement(
    { ...shown, state: 'claimed', missing: { line: time, place: '2026-11-02T00:00:00.000Z' } },
    [],
  ),
  claimStatement({ ...shown, state: 'suspended', lost_at: time }, []),
  ...Object.values(ownerTexts),
  howToOptOut('dossier-claim.txt').join(`optout ${handle}`),
  ...optOutEffects,
  ...(['seen', 'contested', 'overruled', 'withdrawn'] as const).map((state) =>
    optOutText({ ...optOut, state }, undefined),
  ),
  optOutText(optOut, { state: 'claimed' }),
  optOutText({ ...optOut, state: 'withdrawn', missing_at: '2026-11-05T00:00:00.000Z' }, undefined),
  newClaimCost,
  howToReplaceCapability,
  ...foretellCases.map(({ does }) => does),
];

const noReason: RatingBasis = {
  related: false,
  declared_interest: false,
  reciprocal: false,
  new_until: '2026-01-01T00:00:00.000Z',
};
const overlap = { by: handle, of: 'org.example/other', at: time };
const bases: Partial<RatingBasis>[] = [
  { related: true },
  { declared_interest: true },
  { reciprocal: true },
  { stated_overlap: overlap },
  { source_ended_at: time },
  { new_until: '2026-11-27T00:00:00.000Z' },
  {},
];
const ratings = [
  nativeStatement({ ...from(0, 0, 0), voided: 0, hidden: 0 }),
  nativeStatement({ ...from(2, 1, 1), voided: 1, hidden: 2 }),
  ...Object.values(groupTexts).map(({ name, meaning }) => `${name}: ${meaning}`),
  ...Object.values(proofTexts).map(({ name, shows }) => `${name}: ${shows}`),
  ...bases.map((basis) => groupOf({ ...noReason, ...basis }, now.toISOString()).group_reason),
  overlapStatedLater(overlap),
];

/** A value for each criterion, and one that is harder to meet. */
const valuesOf = (name: (typeof criterionNames)[number]) => {
  const { takes } = criteria[name];
  if (takes.kind === 'number') return [1, Math.min(takes.max, 400)];
  if (takes.kind === 'choice') return takes.of.slice(0, 2);
  return takes.kind === 'tag' ? ['webhooks', 'maps'] : [undefined];
};
const compared = criterionNames.flatMap((name) =>
  documents.flatMap((document) =>
    valuesOf(name).map((value) => {
      const { result, fact } = criteria[name].judge({ listing: document, now_ms: now.getTime() }, value);
      return `${name}, ${result.replace('_', ' ')}: ${toText(fact)}`;
    }),
  ),
);

const plainText = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.:,;])/g, '')
    .trim();
const imports = importCases.map((status) => plainText(String(importState(status))));

/** All that is said first of an observed listing, each line with its title, and its line in a list. */
const answers = observed.map((document, at) => {
  const { stands_out, lines, ...gaps } = toAnswerWords(toAnswer(document));
  const titled = Object.entries({ ...lines, ...gaps }).flatMap(([name, words]) =>
    words && !isEmpty(words) ? [`${name.replaceAll('_', ' ')}: ${toText(words)}`] : [],
  );
  const { listing: shown, observed: seen, native } = observedCases[at] as ListingFacts;
  const hit = toHit({ listing: shown, observations: seen?.observations ?? [], native });
  return [
    ...stands_out.map((words) => `Stands out: ${toText(words)}`),
    ...titled,
    `In a list: ${hit.facts.map(toText).join(' | ')}`,
  ];
});

/**
 * What the rules say about the made-up cases, by subject. Texts of publishers, raters and errors are not
 * among them.
 */
const subjects: Readonly<Record<string, readonly (string | undefined)[]>> = {
  'As of when': snapshots,
  'Where a listing comes from': origins,
  ...Object.fromEntries(observed.map(({ handle: name }, at) => [`${name}, observed`, answers[at] ?? []])),
  'What is not known': documents.flatMap(({ not_known }) =>
    not_known.map(({ state, reason }) => `${state.replace('_', ' ')}: ${toText(reason)}`),
  ),
  'What Dossier has not checked': documents.flatMap(({ observations }) =>
    observations.map(({ reason }) => reason && toText(reason)),
  ),
  'Claims and withdrawals': claims,
  Ratings: ratings,
  Comparisons: [...compared, compareStatement],
  'Rules of evidence': rulesOfEvidence,
  Imports: imports,
};

const toList = (name: string, sentences: readonly (string | undefined)[]) =>
  [name, ...new Set(sentences.filter((sentence) => sentence !== undefined))].join('\n* ');

// `vitest -u` writes sentences.txt again: read the difference before you commit it.
it('says each sentence about listings as sentences.txt has it', async () => {
  const text = Object.entries(subjects).map(([name, sentences]) => toList(name, sentences));
  await expect(`${text.join('\n\n')}\n`).toMatchFileSnapshot('./sentences.txt');
});
