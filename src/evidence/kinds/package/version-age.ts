import { defineKind } from '../../observation/kind.ts';
import { ofPublished } from './of-packages.ts';
import { packagesOn } from './recorded-packages.ts';

/** When the recorded version of a package was published. */
export const packageVersionAge = defineKind({
  kind: 'package.version_age',
  question: 'upkeep',
  title: 'Recorded version of the package was published on',
  means: 'The date on which the recorded version was published, as its registry states it.',
  doesNotMean: 'An old version may need no change, and a new one may be no better.',
  unit: 'date',
  method_version: 'package/1',
  about: packagesOn('npm', 'pypi'),
  isOptional: true,
  check: (look) =>
    ofPublished(look, ['npm', 'pypi'], ({ published_at, version }) =>
      typeof published_at === 'string'
        ? { value: published_at, state: 'observed', details: { version } }
        : published_at,
    ),
});
