import { expect, it } from 'vitest';
import {
  npmPackument,
  pypiRelease,
  type Stored,
  startPackageRegistry,
} from '../../support/endpoints/package-registry.ts';
import { packaged } from '../../support/entries.ts';
import { variantsOf } from '../../support/odd-values.ts';
import { opened, openedDirectory } from '../../support/opened.ts';

const packument = npmPackument(
  'odd',
  {
    '1.0.0': { scripts: { postinstall: 'a' }, dependencies: { a: '1' }, _npmUser: { name: 'a' } },
    '1.1.0': {},
  },
  { '1.0.0': '2026-01-01T10:00:00.000Z', '1.1.0': '2026-03-01T10:00:00.000Z' },
);
const release = pypiRelease('odd', '1.1.0', 'a');
const registration = {
  items: [
    {
      lower: '1.0.0',
      upper: '1.1.0',
      items: [
        {
          catalogEntry: {
            version: '1.1.0',
            listed: true,
            published: '2026-03-01T10:00:00+00:00',
            licenseExpression: 'MIT',
            projectUrl: 'https://github.com/a/odd',
            deprecation: { reasons: ['Legacy'], message: 'a' },
          },
        },
      ],
    },
  ],
};
const crate = {
  crate: { name: 'odd', repository: 'https://github.com/a/odd', max_stable_version: '1.1.0' },
  versions: [{ num: '1.1.0', yanked: true, license: 'MIT', created_at: '2026-03-01T10:00:00Z' }],
};

let document: unknown;

const registry = await opened(
  startPackageRegistry(
    () => new Proxy({}, { get: () => ({ status: 200, text: JSON.stringify(document) }) satisfies Stored }),
  ),
);
const listed = (type: string) => packaged(`com.example.odd/${type}`, type, 'odd', '1.1.0');
const directory = await openedDirectory({
  entries: ['npm', 'pypi', 'nuget', 'cargo'].map(listed),
  environment: {
    PACKAGE_REGISTRIES: JSON.stringify(
      Object.fromEntries(['npm', 'pypi', 'nuget', 'cargo'].map((type) => [type, registry.url])),
    ),
  },
});

it.each([
  ['npm', packument],
  ['pypi', release],
  ['nuget', registration],
  ['cargo', crate],
])('whatever %s has at any place of its document, no other fact is lost', async (type, whole) => {
  const handle = `com.example.odd/${type}`;
  document = whole;
  const { observations: before } = await directory.observe(handle);
  const kinds = before.map(({ kind }) => kind).sort();
  const faults: string[] = [];
  for (document of variantsOf(whole)) {
    directory.wait(86_400);
    const { observations } = await directory.observe(handle);
    const failed = observations.filter(({ reason = '', missed }) =>
      `${reason} ${missed?.reason}`.includes('failed on our side'),
    );
    const lost = kinds.filter((kind) => !observations.some((one) => one.kind === kind));
    if (failed.length + lost.length > 0)
      faults.push(
        `${[...failed.map(({ kind }) => kind), ...lost]}: ${JSON.stringify(document).slice(0, 400)}`,
      );
  }
  expect(faults).toEqual([]);
});
