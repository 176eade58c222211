import { z } from 'zod';
import { code, own, say, type Words } from '../../../../core/words.ts';
import { toRepositoryKey } from '../../../../net/repository-place.ts';
import type { CheckedSignature } from '../../../asked/packages/sigstore.ts';
import { memberOf, type Published, toShort } from '../../../asked/published/document.ts';
import {
  isAttested,
  provenanceOfNpm,
  provenanceOfPypi,
  type ServedProvenance,
} from '../../../asked/published/npm.ts';
import type { RecordedPackage } from '../../../asked/published/recorded.ts';
import type { CheckRun } from '../../../asked/run.ts';
import { defineKind, type StandingOut } from '../../kind.ts';
import type { Finding } from '../../observation.ts';
import { type RemoteFinding, withoutAnswer } from '../remotes.ts';
import {
  besideRepository,
  isOnNpmOrPypi,
  ofPackages,
  packageOf,
  readPublished,
  versionOf,
} from './packages.ts';

function compareSigned(
  { repository, issuer }: Extract<CheckedSignature, { readonly result: 'signed' }>,
  recorded: string | undefined,
  version: string,
): RemoteFinding<Provenance> {
  const details = { version, issuer: toShort(issuer) ?? null };
  if (repository === undefined) {
    const why = own('The signed provenance names no repository.');
    return { value: null, outcome: 'nothing', why, details };
  }
  if (recorded === undefined) {
    const why = own('The listing records no repository.');
    return { value: { result: 'not_comparable', repository }, outcome: 'seen', why, details };
  }
  const key = toRepositoryKey(repository);
  const isSame = key === undefined ? repository === recorded : key === toRepositoryKey(recorded);
  const result = isSame ? 'match' : 'other';
  return { value: { result, repository }, outcome: 'seen', details };
}

function none({ version, earlier }: Published): RemoteFinding<Provenance> {
  const provenBefore =
    'result' in earlier ? undefined : earlier.find((one) => isAttested(one.document))?.version;
  const before = provenBefore !== undefined && say` The older version ${code(provenBefore)} has provenance.`;
  return {
    value: { result: 'none' },
    outcome: 'seen',
    why: say`The registry serves no provenance for version ${code(version)}.${before}`,
    details: { version, ...(provenBefore !== undefined && { earlier_with_provenance: provenBefore }) },
  };
}

function judge(
  signed: CheckedSignature,
  { digest }: ServedProvenance,
  { version, repository }: { readonly version: string; readonly repository: string | undefined },
): RemoteFinding<Provenance> {
  const isAboutFile =
    signed.result === 'signed' &&
    digest.hex !== '' &&
    Array.isArray(signed.statement.subject) &&
    signed.statement.subject.some((one) => memberOf(one, 'digest')[digest.algorithm] === digest.hex);
  if (isAboutFile) return compareSigned(signed, repository, version);
  const other = own('The signed provenance does not name the digest that the registry states for the file.');
  const why = signed.result === 'unproven' ? signed.why : other;
  return { value: null, outcome: 'nothing', why, details: { version } };
}

async function provenanceOf(run: CheckRun, recorded: RecordedPackage): Promise<Finding<Provenance>> {
  const published = await readPublished(run, recorded);
  if (published.result !== 'published') return withoutAnswer(published);
  const { source, source_url, version } = published;
  const ask = recorded.type === 'npm' ? provenanceOfNpm : provenanceOfPypi;
  const served = await ask(run, recorded, published);
  if (served === 'none') return { ...none(published), source, source_url };
  if (served === 'absent') return { ...none(published), source, source_url, mayPass: true };
  if (served.result !== 'served') return { ...withoutAnswer(served), source, source_url };
  const signed = await run.verifyBundle(served.bundle);
  if (signed.result !== 'signed' && signed.result !== 'unproven') return withoutAnswer(signed);
  const { repository } = run.listing;
  return { ...judge(signed, served, { version, repository }), source, source_url: served.source_url };
}

const provenances = {
  match: own('signed provenance names the recorded repository'),
  other: own('signed provenance names a different repository'),
  none: own('no provenance'),
  not_comparable: own('provenance that cannot be compared'),
};
const provenance = z.strictObject({
  result: z.enum(['match', 'other', 'none', 'not_comparable']),
  repository: z.string().optional(),
});
type Provenance = z.infer<typeof provenance>;

export const lostProvenance = (
  { by, ...of }: Pick<StandingOut, 'subject' | 'details' | 'by'>,
  before: unknown,
): Words | undefined =>
  typeof before === 'string'
    ? say`${versionOf(of)} has no provenance, and version ${code(before)} has${by}`
    : undefined;

export const packageProvenance = defineKind({
  kind: 'package.provenance',
  unchecked: { what: own('which repository the published package was built from'), isAsked: isOnNpmOrPypi },
  value: provenance,
  say: ({ value: { result, repository } }) =>
    repository === undefined ? provenances[result] : say`${provenances[result]}: ${code(repository)}`,
  saidIn: 'kept_up',
  sayInLine: ({ value }) => provenances[value.result],
  standsOutAs: ['contradiction', 'package_version'],
  sayStandsOut({ value: { result, repository }, subject, by, rule, details }) {
    if (rule === 'package_version')
      return lostProvenance({ subject, details, by }, details?.earlier_with_provenance);
    const other = repository === undefined ? own('a different repository') : code(repository);
    return result === 'other'
      ? say`The signed provenance of ${packageOf(subject)} names ${other}, not the recorded repository${by}`
      : undefined;
  },
  isLocked: true,
  question: 'code',
  title: 'Provenance of the package',
  means:
    'Whether the published file has build provenance with a valid Sigstore signature, and whether the certificate of the signature names the recorded repository. The value is match, other, none (no provenance) or not_comparable (the record names no repository).',
  doesNotMean:
    'It does not say what the code does. A package without provenance may be built from the same code.',
  method_version: 'provenance/2',
  ...besideRepository(ofPackages(['npm', 'pypi'], (one, run) => provenanceOf(run, one))),
});
