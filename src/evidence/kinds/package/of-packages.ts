import type { NoAnswer } from '../../observation/answer.ts';
import type { Look } from '../../observation/look.ts';
import type { Finding } from '../../observation/observation.ts';
import { withoutAnswer } from '../remotes.ts';
import { readNpm } from './npm.ts';
import type { Missing, Published } from './published.ts';
import { readPypi } from './pypi.ts';
import { type RecordedPackage, readablePackages } from './recorded-packages.ts';

/** What a registry says of a recorded package on npm or PyPI. */
export const readPublished = (
  look: Look,
  recorded: RecordedPackage,
): Promise<Published | Missing | NoAnswer> =>
  recorded.type === 'npm' ? readNpm(look, recorded) : readPypi(look, recorded);

/** A fact about a package that its registry does not have. */
export const notFound = ({ reason, source, source_url }: Missing): Finding => ({
  value: null,
  state: 'not_found',
  reason,
  source,
  source_url,
});

/** One fact for each recorded package of these registries, about the recorded version if the fact says nothing else. */
export const ofPackages = (
  look: Look,
  types: readonly RecordedPackage['type'][],
  toFinding: (recorded: RecordedPackage) => Promise<Finding>,
): Promise<readonly Finding[]> =>
  Promise.all(
    readablePackages(look.listing)
      .filter(({ type }) => types.includes(type))
      .map(async (one) => ({ recorded: one.recorded, ...(await toFinding(one)), subject: one.subject })),
  );

/** One fact for each recorded package of these registries whose version is published there. */
export const ofPublished = (
  look: Look,
  types: readonly RecordedPackage['type'][],
  toFinding: (published: Published) => Pick<Finding, 'value' | 'state' | 'reason' | 'details'> | NoAnswer,
): Promise<readonly Finding[]> =>
  ofPackages(look, types, async (recorded) => {
    const published = await readPublished(look, recorded);
    if (published.result === 'missing') return notFound(published);
    if (published.result !== 'published') return withoutAnswer(published);
    const { source, source_url } = published;
    const finding = toFinding(published);
    return { ...('result' in finding ? withoutAnswer(finding) : finding), source, source_url };
  });
