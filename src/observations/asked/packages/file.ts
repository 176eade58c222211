import type { Config } from '../../../config/config.ts';
import type { Fetched, NoAnswer } from '../../../net/answer.ts';
import { meaningOf } from '../../../net/meaning.ts';
import type { PoliteFetch } from '../hosts/polite.ts';
import type { Robots } from '../hosts/robots.ts';

const mostHosts = 3;

/** Undefined also for a redirect to a sign-in page or to an address without https. */
export function redirectOf(response: Fetched): string | undefined {
  const { location } = response.headers;
  const isRedirect = response.status >= 300 && response.status < 400 && meaningOf(response) === 'otherwise';
  const to = isRedirect && location !== undefined ? URL.parse(location, response.url) : null;
  return to?.protocol === 'https:' ? to.href : undefined;
}

interface FileContext {
  readonly fetch: PoliteFetch;
  readonly robots: Robots;
  readonly hosts: Config['repositoryHosts'];
}

/** No robots.txt is read at REPOSITORY_HOSTS (docs/decisions/packages.md). */
export async function askFile(
  url: string,
  { fetch, robots, hosts }: FileContext,
): Promise<Fetched | NoAnswer> {
  const isAtForge = Object.hasOwn(hosts, URL.parse(url)?.host ?? '');
  let asked = url;
  for (let left = mostHosts; ; left -= 1) {
    const refused = isAtForge ? undefined : await robots(asked);
    const answer = refused ?? (await fetch({ url: asked, method: 'HEAD' }));
    if (answer.result !== 'response') return answer;
    const to = redirectOf(answer);
    // Signed addresses, to which forges redirect, differ with each request.
    if (to === undefined || left === 1) return { ...answer, url };
    asked = to;
  }
}
