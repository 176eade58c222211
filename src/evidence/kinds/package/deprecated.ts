import { defineKind } from '../../observation/kind.ts';
import { ofPublished } from './of-packages.ts';
import { packagesOn } from './recorded-packages.ts';

/** Whether the recorded version of a package is deprecated (npm) or yanked (PyPI). */
export const packageDeprecated = defineKind({
  kind: 'package.deprecated',
  question: 'upkeep',
  title: 'Package is deprecated',
  means:
    'Whether the registry marks the recorded version as deprecated (npm) or yanked (PyPI), and with which words.',
  doesNotMean: 'A version that is not marked may still be given up.',
  method_version: 'package/1',
  about: packagesOn('npm', 'pypi'),
  isOptional: true,
  check: (look) =>
    ofPublished(look, ['npm', 'pypi'], ({ deprecated, version }) => ({
      value: deprecated !== undefined,
      state: 'observed',
      details: { version, ...(deprecated !== undefined && { message: deprecated }) },
    })),
});
