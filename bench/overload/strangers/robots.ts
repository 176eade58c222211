import { gzipSync } from 'node:zlib';
import type { HostilePublisher, HostilePublishers, Reply } from './hostile.ts';
import { notFound } from './hostile.ts';

const compressed = (text: string): Reply => ({
  headers: { 'content-encoding': 'gzip' },
  body: gzipSync(text),
});

/** A publisher whose robots.txt is this one. */
const withRobots = (reply: Reply, more: Partial<HostilePublisher> = {}): HostilePublisher => ({
  answer: ({ path }) => (path === '/robots.txt' ? reply : notFound),
  ...more,
});

const mostRead_bytes = 512 * 1024;
const repeated = (text: string, size_bytes = mostRead_bytes) =>
  text.repeat(Math.floor(size_bytes / text.length));

/** Files of rules that take memory for each user agent and rule, or for each host. */
export const robots: HostilePublishers = {
  'agents-by-rules': withRobots(
    compressed(repeated('user-agent:a\n', 45_500) + repeated('allow:/\n', 28_000)),
  ),
  'own-agents-by-rules': withRobots(
    compressed(repeated('user-agent:dossier\n', 66_500) + repeated('allow:/\n', 28_000)),
  ),
  'fifty-hosts': withRobots(compressed('user-agent:*\n'.repeat(300) + 'allow:/\n'.repeat(1000)), {
    listings: 5,
    remotes: 10,
    areApart: true,
  }),
  'largest-rules-on-fifty-hosts': withRobots(
    compressed(
      `user-agent:*\n${Array.from({ length: 85 }, (_, at) => `allow:/${at}${'x'.repeat(6000)}\n`).join('')}`,
    ),
    { listings: 5, remotes: 10, areApart: true },
  ),
  'one-line': withRobots(compressed(`user-agent: ${' '.repeat(mostRead_bytes)}`)),
  'ends-of-lines': withRobots(compressed(repeated('\r'))),
  'expands-a-thousand-times': withRobots(compressed('\n'.repeat(64 * 2 ** 20))),
};

const longAddress = (host: string) => `https://${host}/${'a'.repeat(8000)}`;

/** Patterns and addresses whose comparison takes the product of their lengths, or more. */
export const patterns: HostilePublishers = {
  asterisks: withRobots(compressed(`User-agent: *\nDisallow: /${'*'.repeat(mostRead_bytes - 40)}Z`), {
    suffix: `/${'a'.repeat(440)}`,
  }),
  'letters-and-asterisks': withRobots(
    compressed(`User-agent: *\n${`Disallow: /${'a*'.repeat(3000)}Z\n`.repeat(85)}`),
    { suffix: `/${'a'.repeat(1900)}` },
  ),
  'percent-signs': withRobots(
    compressed(`User-agent: *\n${`Disallow: /${'%61*%'.repeat(1200)}$\n`.repeat(85)}`),
    { suffix: `/${'%61'.repeat(600)}` },
  ),
  'long-address-in-a-challenge': {
    answer: ({ path, host }) =>
      path === '/robots.txt'
        ? compressed(`User-agent: *\nDisallow: /${'*a'.repeat(3000)}Z`)
        : {
            status: 401,
            headers: { 'www-authenticate': `Bearer resource_metadata="${longAddress(host)}"` },
            body: '',
          },
  },
  'a-challenge-of-quotes': {
    answer: ({ path }) =>
      path === '/robots.txt'
        ? notFound
        : { status: 401, headers: { 'www-authenticate': `Bearer a="${'\\"'.repeat(7000)}` }, body: '' },
  },
  'redirects-within-the-host': {
    answer: ({ path, host }) =>
      path === '/robots.txt'
        ? compressed(`User-agent: *\n${'Disallow: /*a*a*a*a*b\n'.repeat(900)}`)
        : { status: 307, headers: { location: `https://${host}${path.slice(0, 1000)}/a` }, body: '' },
  },
};
