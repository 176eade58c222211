import { defineKind } from '../../observation/kind.ts';
import type { Look } from '../../observation/look.ts';
import type { Finding } from '../../observation/observation.ts';
import type { Advisory, AdvisoryList } from '../../observation/package-look.ts';
import { withoutAnswer } from '../remotes.ts';
import { affects } from './affects.ts';
import { notFound, ofPackages, readPublished } from './of-packages.ts';
import { packagesOn, type RecordedPackage } from './recorded-packages.ts';

/** Most advisories that are published with a fact. */
const mostAdvisories = 20;

const toShown = ({ id, summary, severity }: Advisory) => ({
  id,
  ...(summary && { summary }),
  ...(severity && { severity }),
});

function toFinding({ found, source }: AdvisoryList, version: string): Finding {
  const about = (wanted: 'yes' | 'unknown') => found.filter((one) => affects(one, version) === wanted);
  const [affecting, unknown] = [about('yes'), about('unknown')];
  return {
    value: affecting.length,
    state: 'observed',
    ...(unknown.length > 0 && {
      reason: `${unknown.length} more about this package state ranges that Dossier does not compare.`,
    }),
    details: {
      version,
      advisories: affecting.slice(0, mostAdvisories).map(toShown),
      ...(unknown.length > 0 && { not_compared: unknown.slice(0, mostAdvisories).map(({ id }) => id) }),
    },
    source,
  };
}

async function ofPackage(look: Look, recorded: RecordedPackage): Promise<Finding> {
  const list = await look.advisories(recorded.type === 'npm' ? 'npm' : 'PyPI', recorded.name);
  if (list.result !== 'advisories') return withoutAnswer(list);
  if (recorded.version !== undefined) return toFinding(list, recorded.version);
  const published = await readPublished(look, recorded);
  if (published.result === 'missing') return notFound(published);
  if (published.result !== 'published') return withoutAnswer(published);
  return toFinding(list, published.version);
}

/** Advisories about the recorded version of a package. */
export const packageAdvisories = defineKind({
  kind: 'package.advisories',
  question: 'code',
  title: 'Advisories about the package',
  means: 'How many advisories in the saved copy of OSV name the recorded version of the package.',
  doesNotMean:
    'None recorded says only that: nobody looked, or nothing was reported. Dependencies are not looked at.',
  unit: 'advisories',
  method_version: 'advisories/1',
  about: packagesOn('npm', 'pypi'),
  check: (look) => ofPackages(look, ['npm', 'pypi'], (recorded) => ofPackage(look, recorded)),
});
