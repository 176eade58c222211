import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRepositoryReader } from '../../src/net/git.ts';
import { toRepositoryKey } from '../../src/net/repository-place.ts';

const reader = createRepositoryReader({
  'github.com': { git: 'https://github.com', raw: 'https://raw.githubusercontent.com' },
  'gitlab.com': { git: 'https://gitlab.com', raw: 'https://gitlab.com' },
});
const segment = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,19}$/)
  .filter((text) => !text.toLowerCase().endsWith('git'));
const capitals = (text: string, mask: number) =>
  [...text]
    .map((letter, at) => ((mask >> (at % 30)) & 1 ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');

describe('one repository', () => {
  it('has one key however it is spelled, and one place', () => {
    const host = fc.constantFrom('github.com', 'gitlab.com');
    fc.assert(
      fc.property(host, segment, segment, fc.nat(), (at, owner, name, mask) => {
        const key = `${at}/${owner}/${name}`.toLowerCase();
        const path = capitals(`${owner}/${name}`, mask);
        for (const text of [
          `https://${at}/${path}`,
          `https://${at}/${path}/`,
          `https://${at}/${path}.git`,
          `https://${at.toUpperCase()}/${path}.git/`,
        ]) {
          expect(toRepositoryKey(text)).toBe(key);
          expect(reader.place(text)).toMatchObject({ host: at, key });
        }
        for (const text of [
          `http://${at}/${path}`,
          `git+https://${at}/${path}.git`,
          `git://${at}/${path}.git`,
          `ssh://git@${at}/${path}.git`,
          `ssh://git@${at}:22/${path}.git`,
          `git+ssh://${at}:22/${path}.git`,
          `git@${at}:${path}.git`,
          `https://${at}/${path}?tab=readme#top`,
        ]) {
          expect(toRepositoryKey(text)).toBe(key);
        }
      }),
    );
  });

  it('of GitHub stays the same in a link into it', () => {
    fc.assert(
      fc.property(segment, segment, fc.array(segment, { maxLength: 4 }), (owner, name, deeper) => {
        const link = ['https://github.com', owner, name, ...deeper].join('/');
        expect(toRepositoryKey(link)).toBe(`github.com/${owner}/${name}`.toLowerCase());
      }),
    );
  });
});

/** Letters that addresses are bent with. */
const bent = fc.array(
  fc.oneof(
    fc.constantFrom(
      'https://',
      'http://',
      'file:',
      '//',
      '/',
      '..',
      '.',
      '@',
      ':',
      '%2e',
      '%00',
      '\\',
      '#',
      '?',
      '\n',
      '\t',
      '\u0000',
      'github.com',
      'GITHUB.com',
      'gitlab.com',
      'evil.example',
      '127.1',
      '[::1]',
      '169.254.169.254',
      'ｇithub.com',
      'owner',
      'name',
      '.git',
      '-',
      ':443',
      '\u202e',
      'xn--',
    ),
    fc.string({ unit: 'binary', maxLength: 5 }),
  ),
  { maxLength: 12 },
);

describe('any text', () => {
  it('is a place only on an exact host, with plain segments, and its key is that of the registry', () => {
    fc.assert(
      fc.property(bent, (parts) => {
        const text = parts.join('');
        const place = reader.place(text);
        if (!place) return;
        expect(['github.com', 'gitlab.com']).toContain(place.host);
        expect(place.path).toMatch(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)+$/);
        expect(place.path.split('/')).not.toContain('..');
        expect(place.path.split('/')).not.toContain('.');
        expect(new URL(`https://${place.host}/${place.path}`).href).toBe(
          `https://${place.host}/${place.path}`,
        );
        expect(place.key).toBe(`${place.host}/${place.path}`.toLowerCase());
        expect(toRepositoryKey(text)).toBe(place.key);
      }),
      { numRuns: 5000 },
    );
  });

  it('is, with any of these in it, no place or the one of its key', () => {
    const good = 'https://github.com/owner/name';
    fc.assert(
      fc.property(fc.nat(good.length), fc.constantFrom(...'@%?#\\\n\t\u0000 \u202e~+='), (at, letter) => {
        const text = good.slice(0, at) + letter + good.slice(at);
        expect([undefined, toRepositoryKey(text)]).toContain(reader.place(text)?.key);
      }),
    );
  });

  it('has a stable key or none: the key of a key is the key', () => {
    fc.assert(
      fc.property(bent, (parts) => {
        const key = toRepositoryKey(parts.join(''));
        if (key === undefined) return;
        expect(key).toBe(key.toLowerCase());
        expect(toRepositoryKey(`https://${key}`)).toBe(key);
      }),
      { numRuns: 5000 },
    );
  });
});
