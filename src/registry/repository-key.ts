const longest = 2000;
/** Forges whose repositories are always `owner/name`; what follows in a link is a place inside. */
const ownerAndName = new Set(['github.com', 'codeberg.org', 'bitbucket.org']);

/** `git@host:owner/name` is how ssh writes it. */
const toUrlText = (recorded: string) =>
  recorded.replace(/^git\+/i, '').replace(/^(?:ssh:\/\/)?[\w-]+@([\w.-]+)[:/](?=[^/])/, 'https://$1/');

/**
 * The key two spellings of one repository share: lower-cased `host/path`, without scheme, user, `.git`, trailing slash,
 * query, fragment, a leading `www.` and a dot that ends the host. `git+https:`, `git:`, `ssh:` and `git@host:path` are read; links into a GitHub, Codeberg or
 * Bitbucket repository count as the repository. Undefined where the text names no repository.
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
