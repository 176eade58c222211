const longest = 2000;
/** Forges whose repositories are always `owner/name`; the rest of a link is a path inside the repository. */
const ownerAndName = new Set(['github.com', 'codeberg.org', 'bitbucket.org']);

/** Turns the ssh form `git@host:owner/name` into a URL. */
const toUrlText = (recorded: string) =>
  recorded.replace(/^git\+/i, '').replace(/^(?:ssh:\/\/)?[\w-]+@([\w.-]+)[:/](?=[^/])/, 'https://$1/');

/**
 * The key that all spellings of one repository share: `host/path` in lower case, without scheme, user, `.git`, trailing
 * slash, query, fragment, leading `www.` and trailing dot of the host. Accepts `git+https:`, `git:`, `ssh:` and
 * `git@host:path`; a link into a GitHub, Codeberg or Bitbucket repository counts as the repository. Undefined if the
 * text names no repository.
 */
export function toRepositoryKey(recorded: string): string | undefined {
  if (recorded.length > longest) return undefined;
  const url = URL.parse(toUrlText(recorded).replace(/^(?:git|ssh|http):\/\//i, 'https://'));
  const host = url?.host.replace(/^www\./, '').replace(/\.(?=:|$)/, '') ?? '';
  if (url?.protocol !== 'https:' || !host.includes('.') || url.pathname.includes('%')) return undefined;
  const segments = url.pathname.split('/').filter(Boolean);
  const repository = ownerAndName.has(host) ? segments.slice(0, 2) : segments;
  if (repository.length < 2) return undefined;
  return `${host}/${repository.join('/')}`.replace(/\.git$/i, '').toLowerCase();
}
