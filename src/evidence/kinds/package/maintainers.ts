import { defineKind } from '../../observation/kind.ts';
import { ofPublished } from './of-packages.ts';
import { packagesOn } from './recorded-packages.ts';

/** Most names that are published. */
const mostNames = 20;

/** Who may publish new versions of an npm package. */
export const packageMaintainers = defineKind({
  kind: 'package.maintainers',
  question: 'publisher',
  title: 'Maintainers of the package',
  means: 'How many accounts npm lists as maintainers of the package, with up to twenty of their names.',
  doesNotMean: 'It does not say who these accounts belong to. PyPI does not state them in its JSON.',
  unit: 'accounts',
  method_version: 'package/1',
  about: packagesOn('npm'),
  isOptional: true,
  check: (look) =>
    ofPublished(look, ['npm'], ({ maintainers }) =>
      'result' in maintainers
        ? maintainers
        : {
            value: maintainers.length,
            state: 'observed',
            details: { names: maintainers.toSorted().slice(0, mostNames) },
          },
    ),
});
