import type { Config } from '../../config/config.ts';
import { type Fetched, meaningOf, type NoAnswer } from '../../net/answer.ts';
import type { PoliteFetch } from '../hosts/polite.ts';
import type { Robots } from '../hosts/robots.ts';

const mostHosts = 3;

/**
 * The https address on another host that a response redirects to; undefined if it is none, or a place to sign
 * in.
 */
export function redirectOf(response: Fetched): string | undefined {
  const { location } = response.headers;
  const isRedirect = response.status >= 300 && response.status < 400 && meaningOf(response) === 'passing';
  const to = isRedirect && location !== undefined ? URL.parse(location, response.url) : null;
  return to?.protocol === 'https:' ? to.href : undefined;
}

interface Asking {
  readonly fetch: PoliteFetch;
  readonly robots: Robots;
  readonly hosts: Config['repositoryHosts'];
}

/**
 * What a HEAD of the address of a file gives, under that address; nothing of the file is read. Forges keep
 * the files of releases at other hosts, so at most three hosts are asked, each by the rules of the observer.
 * The robots.txt of a host of REPOSITORY_HOSTS, and of where that redirects to, is not read: a release is
 * there for programs, as a repository is (docs/decisions/packages.md).
 */
export async function askFile(url: string, { fetch, robots, hosts }: Asking): Promise<Fetched | NoAnswer> {
  const isAtForge = Object.hasOwn(hosts, URL.parse(url)?.host ?? '');
  let asked = url;
  for (let left = mostHosts; ; left -= 1) {
    const refused = isAtForge ? undefined : await robots(asked);
    const answer = refused ?? (await fetch({ url: asked, method: 'HEAD' }));
    if (answer.result !== 'response') return answer;
    const to = redirectOf(answer);
    // An address that a forge redirects to is signed, and another one at each request.
    if (to === undefined || left === 1) return { ...answer, url };
    asked = to;
  }
}
