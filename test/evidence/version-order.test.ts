import { describe, expect, it } from 'vitest';
import { ecosystemOf, orderOf } from '../../src/observations/asked/packages/version-order.ts';

const sortedOf = (registry: 'npm' | 'pypi' | 'nuget' | 'cargo', versions: readonly string[]) =>
  versions.toReversed().toSorted(orderOf(ecosystemOf(registry)).compare);

describe('the order of versions', () => {
  it('is that of PEP 440 on PyPI', () => {
    const versions = [
      '1.0.dev1',
      '1.0a1.dev1',
      '1.0a1',
      '1.0a2',
      '1.0b1',
      '1.0rc1',
      '1.0',
      '1.0+abc',
      '1.0+5',
      '1.0.post1.dev1',
      '1.0.post1',
      '1.0.1',
      '1.10',
      '20240101123456789',
      '20240101123456790',
      '1!0.5',
    ];
    expect(sortedOf('pypi', versions)).toEqual(versions);
  });
  it('is that of SemVer on npm and crates.io', () => {
    const versions = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-beta', '1.0.0', '1.2.0', '1.10.0'];
    expect(sortedOf('npm', versions)).toEqual(versions);
    expect(sortedOf('cargo', versions)).toEqual(versions);
  });
  it('has four numbers on NuGet, and pre-releases before them', () => {
    const versions = ['1.0-alpha.2', '1.0-alpha.10', '1.0-Beta', '1.0', '1.0.0.1', '1.0.1', '1.10'];
    expect(sortedOf('nuget', versions)).toEqual(versions);
  });
  it.each([
    ['pypi', 'v1.0', '1'],
    ['pypi', '1.0-1', '1.0.post1'],
    ['pypi', '1.0ALPHA', '1.0a0'],
    ['nuget', '1.0.0.0', '1'],
    ['nuget', '1.0-RC', '1.0.0-rc+build'],
  ] as const)('has one version on %s in the spellings %s and %s', (registry, one, other) => {
    expect(orderOf(ecosystemOf(registry)).compare(one, other)).toBe(0);
  });
  it.each([
    ['npm', 'latest'],
    ['npm', '2.x'],
    ['pypi', 'newest'],
    ['pypi', '1'.repeat(101)],
    ['nuget', '1.2.3.4.5'],
  ] as const)('on %s has no place for %s', (registry, text) => {
    expect(orderOf(ecosystemOf(registry)).isVersion(text)).toBe(false);
  });
});
