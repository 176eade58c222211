import type { NoAnswer } from '../../observation/answer.ts';
import type { Look, Subject } from '../../observation/look.ts';
import type { Finding } from '../../observation/observation.ts';
import { withoutAnswer } from '../remotes.ts';
import { readNpm } from './npm.ts';
import type { Missing, Published } from './published.ts';
import { readPypi } from './pypi.ts';
import { type RecordedPackage, readablePackages } from './recorded-packages.ts';

type PackageType = RecordedPackage['type'];

/** Whether a listing records a package of one of these registries. */
export const hasPackageOn =
  (...types: PackageType[]) =>
  (listing: Subject): boolean =>
    readablePackages(listing).some(({ type }) => types.includes(type));

/** What a registry says of a recorded package on npm or PyPI. */
export const readPublished = (
  look: Look,
  recorded: RecordedPackage,
): Promise<Published | Missing | NoAnswer> =>
  recorded.type === 'npm' ? readNpm(look, recorded) : readPypi(look, recorded);

/** A fact about a package that its registry does not have. */
export const notFound = ({ reason, source, source_url }: Missing, subject: string): Finding => ({
  subject,
  value: null,
  state: 'not_found',
  reason,
  source,
  source_url,
});

/** One fact for each recorded package of these registries whose version is published there. */
export async function ofPublished(
  look: Look,
  types: readonly PackageType[],
  toFinding: (published: Published) => Pick<Finding, 'value' | 'state' | 'reason' | 'details'> | NoAnswer,
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const recorded of readablePackages(look.listing).filter(({ type }) => types.includes(type))) {
    const { subject } = recorded;
    const published = await readPublished(look, recorded);
    if (published.result === 'missing') found.push(notFound(published, subject));
    else if (published.result !== 'published') found.push(withoutAnswer(published, subject));
    else {
      const { source, source_url } = published;
      const finding = toFinding(published);
      found.push(
        'result' in finding
          ? { ...withoutAnswer(finding, subject), source, source_url }
          : { subject, ...finding, source, source_url },
      );
    }
  }
  return found;
}
