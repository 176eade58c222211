import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { parseRobots } from '../../src/observations/asked/hosts/robots.ts';

const forDossier = (rules: string) => `User-agent: Dossier\n${rules}`;

/** Filters paths by a robots.txt. */
const allowedOf = (text: string, paths: readonly string[]) => {
  const { isAllowed } = parseRobots(text);
  return paths.filter((path) => isAllowed(path));
};

it.each([
  ['no group is for it', 'User-agent: other\nDisallow: /', true],
  ['rules stand before any group', 'Disallow: /\nUser-agent: dossier\nAllow: /a', true],
  ['only the group of all is for it', 'User-agent: other\nAllow: /\n\nUser-agent: *\nDisallow: /', false],
  ['its own group is empty', 'User-agent: *\nDisallow: /\nUser-agent: Dossier\nDisallow:', true],
  ['its own group comes first', 'User-agent: dossier\nAllow: /\nUser-agent: *\nDisallow: /', true],
  ['it shares a group', 'User-agent: other\nUser-agent: DOSSIER\nUser-agent: third\nDisallow: /', false],
  ['another group follows', 'User-agent: dossier\nDisallow: /b\nUser-agent: other\nDisallow: /', true],
  [
    'it has two groups',
    'User-agent: dossier\nDisallow: /b\nUser-agent: x\n\nUser-agent: dossier\nDisallow: /a',
    false,
  ],
  [
    'all have two groups',
    'User-agent: *\nDisallow: /b\nUser-agent: x\nAllow: /\nUser-agent: *\nDisallow: /a',
    false,
  ],
  ['a version follows its name', 'User-agent: Dossier/1.0 (checks)\nDisallow: /', false],
  ['the name only begins alike', 'User-agent: dossier-other\nDisallow: /', true],
  ['a pattern of names stands there', 'User-agent: dos*\nDisallow: /', true],
  [
    'a sitemap stands among its names',
    'User-agent: dossier\nSitemap: https://a.example/\nUser-agent: x\nDisallow: /',
    false,
  ],
  ['names are in capitals and indented', '\ufeff  USER-AGENT : dossier \r\n\tDISALLOW : / # all', false],
  ['lines end with carriage returns', 'User-agent: dossier\rDisallow: /', false],
  ['a comment stands in place of the rule', 'User-agent: dossier\n# Disallow: /\nDisallow: # /', true],
])('groups are chosen as RFC 9309 says where %s', (_, text, isAllowed) => {
  expect(parseRobots(text).isAllowed('/a')).toBe(isAllowed);
});

describe('rules', () => {
  // The tables of Google's documentation and of RFC 9309 section 5.2, with the tests of google/robotstxt.
  it.each([
    [
      '/fish',
      ['/fish', '/fish.html', '/fishheads/yummy.html', '/fish?id=1'],
      ['/Fish.asp', '/catfish', '/?id=fish'],
    ],
    ['/fish*', ['/fish', '/fish/salmon.html', '/fishheads'], ['/Fish.bar', '/catfish', '/?id=fish']],
    ['/fish/', ['/fish/', '/fish/?salmon'], ['/fish', '/fish.html', '/Fish/Salmon.html']],
    [
      '/*.php',
      ['/a.php', '/b/a.php?x', '//b/any.php.file.html', '/index?f=a.php/'],
      ['/', '/windows.PHP', '/php/'],
    ],
    ['/*.php$', ['/a.php', '/folder/a.php'], ['/a.php?x', '/a.php/', '/a.php5', '/windows.PHP']],
    ['/fish*.php', ['/fish.php', '/fishheads/catfish.php?x'], ['/Fish.PHP']],
    ['/$', ['/'], ['/page.html']],
    ['*', ['/', '/a'], []],
    ['/***a**b', ['/xaxb', '/ab'], ['/ba', '/a']],
    ['/a*b*c$', ['/abc', '/a-b-bcc'], ['/acb', '/abcd', '/ab']],
    ['/a*aa$', ['/aaa', '/aaaa'], ['/aa', '/aab']],
    ['/*$', ['/', '/a?b'], []],
    ['/foo/bar/%62%61%7A', ['/foo/bar/baz', '/foo/bar/%62az'], ['/foo/bar']],
    ['/foo/bar/ツ', ['/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84x'], ['/foo/bar/%E3%83%85']],
    ['/foo/bar/%e3%83%84', ['/foo/bar/%E3%83%84'], ['/foo/bar/']],
    [
      '/foo/bar?qux=taz&baz=http://foo.bar?tar',
      ['/foo/bar?qux=taz&baz=http://foo.bar?tar&par'],
      ['/foo/bar'],
    ],
    [
      '/path/file-with-a-%2A.html',
      ['/path/file-with-a-*.html', '/path/file-with-a-%2a.html'],
      ['/path/file-with-a-b.html'],
    ],
    ['/cost$5', ['/cost$5', '/cost%245'], ['/cost']],
    ['/a%2Fb', ['/a%2fb'], ['/a/b']],
    ['/a b', ['/a%20b'], ['/a']],
    ['/%', ['/%', '/%zz'], ['/x']],
    ['/\ud800', ['/%EF%BF%BD'], ['/x']],
    ['fish', [], ['/fish', '/']],
  ])('%s are applied to the paths that they name', (path, named, others) => {
    expect(allowedOf(forDossier(`Allow: ${path}\nDisallow: /\nDisallow: *`), [...named, ...others])).toEqual(
      named,
    );
  });

  it.each([
    ['Allow: /example/page/\nDisallow: /example/page/disallowed.gif', '/example/page/disallow.gif', true],
    ['Allow: /example/page/\nDisallow: /example/page/disallowed.gif', '/example/page/disallowed.gif', false],
    ['Disallow: /x/page.html\nAllow: /x/', '/x/page.html', false],
    ['Allow: /x/page.html\nDisallow: /x/', '/x/page.html', true],
    ['Allow: /x/page.html\nDisallow: /x/', '/x/', false],
    ['Allow: /page\nDisallow: /*.html', '/page.html', false],
    ['Allow: /x/page.\nDisallow: /*.html', '/x/page.html', true],
    ['Allow: /p\nDisallow: /', '/page', true],
    ['Allow: /folder\nDisallow: /folder', '/folder/page', true],
    ['Disallow: /folder\nAllow: /folder\nDisallow: /folder', '/folder/page', true],
    ['Disallow: /fol\nAllow: /*ol', '/folder', true],
    ['Allow: /$\nDisallow: /', '/page.html', false],
    ['Disallow: /', '/robots.txt', true],
  ])('%j: the longest that applies decides about %s', (rules, path, isAllowed) => {
    expect(parseRobots(forDossier(rules)).isAllowed(path)).toBe(isAllowed);
  });

  it('apply as a pattern of any characters does, for any rule and path', () => {
    const rule = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 12 });
    const path = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
    fc.assert(
      fc.property(rule, fc.constantFrom('', '$'), path, (texts, end, asked) => {
        const pattern = new RegExp(`^/${texts.replaceAll('*', '.*')}${end}`);
        expect(parseRobots(forDossier(`Disallow: /${texts}${end}`)).isAllowed(`/${asked}`)).toBe(
          !pattern.test(`/${asked}`),
        );
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a robots.txt that is made to cost', () => {
  const longest = 512 * 1024;
  const fill = (head: string, line: (at: number) => string) => {
    let text = head;
    for (let at = 0; text.length < longest; at += 1) text += line(at);
    return text.slice(0, longest);
  };

  it.each([
    [
      'the same name and rule thousands of times',
      `${'user-agent:dossier\n'.repeat(3500)}${'allow:/\n'.repeat(3500)}`,
    ],
    ['other names', `${fill('', (at) => `user-agent:a${at}\n`)}\n${'disallow:/\n'.repeat(9)}`],
    ['one rule of asterisks', forDossier(`Disallow: /${'*'.repeat(longest)}Z`)],
    ['a rule that is longer than any address', forDossier(`Disallow: /${'a'.repeat(6144)}\nDisallow: /x`)],
    ['line ends', '\n\r'.repeat(longest / 2)],
    ['spaces before a rule', `${' '.repeat(longest)}allow`],
    ['letters of three bytes', forDossier(`Disallow: /${'ツ'.repeat(longest / 3)}`)],
    ['percent signs', forDossier(`Disallow: /${'%25'.repeat(longest / 3)}`)],
  ])('keeps at most two rules: %s', (_, text) => {
    expect(parseRobots(text).size_bytes).toBeLessThan(1000);
    expect(parseRobots(text).isAllowed('/mcp')).toBe(true);
  });

  it('applies a rule of 2,048 characters that stands there in three each, with asterisks between them', () => {
    const long = `/${'%61*'.repeat(2047)}`;
    expect(parseRobots(forDossier(`Disallow: ${long}$`)).isAllowed(`/${'a'.repeat(2047)}`)).toBe(false);
    const dollars = `/${'$'.repeat(2020)}a`;
    expect(parseRobots(forDossier(`Disallow: ${dollars}`)).isAllowed(dollars)).toBe(false);
    expect(parseRobots(forDossier(`Disallow: ${long}`)).isAllowed(`/${'a'.repeat(2046)}`)).toBe(true);
  });

  it('asks for nothing where it has more than a thousand rules, and obeys a thousand', () => {
    const rules = (count: number) => Array.from({ length: count }, (_, at) => `Disallow: /${at}x\n`).join('');
    expect(parseRobots(forDossier(rules(1000))).isAllowed('/999x')).toBe(false);
    expect(parseRobots(forDossier(rules(1000))).isAllowed('/y')).toBe(true);
    expect(parseRobots(forDossier(rules(1001))).isAllowed('/y')).toBeUndefined();
    expect(
      parseRobots(`User-agent: *\n${rules(5000)}User-agent: dossier\nDisallow: /b`).isAllowed('/y'),
    ).toBe(true);
  });

  it('looks once for each text of a rule, however often the path begins like it', () => {
    const rules = Array.from({ length: 400 }, (_, at) => `Disallow: /*${'a'.repeat(600)}${at}*b$\n`).join('');
    const { isAllowed } = parseRobots(forDossier(rules));
    const search = vi.spyOn(String.prototype, 'indexOf');
    try {
      expect(isAllowed(`/${'a'.repeat(2000)}`)).toBe(true);
      expect(search.mock.calls.length).toBeLessThan(500);
    } finally {
      search.mockRestore();
    }
  });
});
