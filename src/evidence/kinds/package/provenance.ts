import { defineKind } from '../../observation/kind.ts';
import type { Look, Subject } from '../../observation/look.ts';
import type { Finding, RecordedSubject } from '../../observation/observation.ts';
import type { SignedStatement, Unproven } from '../../observation/package-look.ts';
import { withoutAnswer } from '../remotes.ts';
import { readProvenance, type ServedProvenance } from './attestations.ts';
import { memberOf, toShort } from './foreign-json.ts';
import { notFound, ofPackages, readPublished } from './of-packages.ts';
import type { Published } from './published.ts';
import { packagesOn, type RecordedPackage } from './recorded-packages.ts';

type Told = Pick<Finding, 'value' | 'state' | 'reason' | 'details'>;

/** Whether a statement is about the published file. */
const isAbout = ({ statement }: SignedStatement, { algorithm, hex }: ServedProvenance['digest']): boolean =>
  hex !== '' &&
  Array.isArray(statement.subject) &&
  statement.subject.some((one) => memberOf(one, 'digest')[algorithm] === hex);

const looseUrl = (url: string | undefined) =>
  url
    ?.toLowerCase()
    .replace(/^git\+|^http:/g, '')
    .replace(/^https:/, '')
    .replace(/\/$/, '')
    .replace(/\.git$/, '');

/** The repository that signed provenance names, beside the recorded one. */
function compare(signed: SignedStatement, recorded: string | undefined, version: string): Told {
  const { repository, issuer } = signed;
  const details = { version, repository: toShort(repository) ?? null, issuer: toShort(issuer) ?? null };
  if (repository === undefined)
    return {
      value: null,
      state: 'unrecognised',
      reason: 'The signed provenance names no repository.',
      details,
    };
  if (recorded === undefined)
    return {
      value: 'not_comparable',
      state: 'observed',
      reason: 'The listing records no repository.',
      details,
    };
  return {
    value: looseUrl(repository) === looseUrl(recorded) ? 'match' : 'other',
    state: 'observed',
    details,
  };
}

/** Without provenance; that an earlier version had it is said. */
function none({ version, provenBefore }: Published): Told {
  const before = provenBefore === undefined ? '' : ` Version ${provenBefore}, which is older, has one.`;
  return {
    value: 'none',
    state: 'observed',
    reason: `The registry serves no provenance of version ${version}.${before}`,
    details: { version, ...(provenBefore !== undefined && { earlier_with_provenance: provenBefore }) },
  };
}

/** What a checked signature shows about a published file. */
function judge(
  signed: SignedStatement | Unproven,
  { digest }: ServedProvenance,
  { version, repository }: { readonly version: string; readonly repository: string | undefined },
): Told {
  const unrecognised = (reason: string): Told => ({
    value: null,
    state: 'unrecognised',
    reason,
    details: { version },
  });
  if (signed.result === 'unproven') return unrecognised(signed.reason);
  return isAbout(signed, digest)
    ? compare(signed, repository, version)
    : unrecognised('The signed provenance is about another file than the published one.');
}

async function ofPackage(look: Look, recorded: RecordedPackage): Promise<Finding> {
  const published = await readPublished(look, recorded);
  if (published.result === 'missing') return notFound(published);
  if (published.result !== 'published') return withoutAnswer(published);
  const { source, source_url, version } = published;
  const served = await readProvenance(look, recorded, published);
  if (served === 'none') return { ...none(published), source, source_url };
  if (served === 'absent') return { ...none(published), source, source_url, isAbsence: true };
  if (served.result !== 'served') return { ...withoutAnswer(served), source, source_url };
  const signed = await look.signature(served.bundle);
  if (signed.result !== 'signed' && signed.result !== 'unproven') return withoutAnswer(signed);
  const { repository } = look.listing;
  return {
    ...judge(signed, served, { version, repository }),
    source,
    source_url: served.source_url,
  };
}

/** What is compared: a package, and the repository that is recorded beside it. */
const withRepository = ({ recorded }: RecordedSubject, { repository = '' }: Subject): string =>
  `${recorded} ${repository}`;

/** Which repository the published package was built from, as its signed provenance says. */
export const packageProvenance = defineKind({
  kind: 'package.provenance',
  question: 'code',
  title: 'Provenance of the package',
  means:
    'Whether the published file has build provenance with a valid Sigstore signature, and whether the repository in its certificate is the recorded one: match, other or none.',
  doesNotMean:
    'It does not say what the code does. A package without provenance may be built of the same code.',
  method_version: 'provenance/1',
  about: (listing) =>
    packagesOn('npm', 'pypi')(listing).map((one) => ({ ...one, recorded: withRepository(one, listing) })),
  check: (look) =>
    ofPackages(look, ['npm', 'pypi'], async (one) => ({
      ...(await ofPackage(look, one)),
      recorded: withRepository(one, look.listing),
    })),
});
