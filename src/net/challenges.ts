/** A parameter (1: name, 2: quoted, 3: bare) or a scheme (4), RFC 9110 section 11.6.1. */
const piece =
  /[\s,]*(?:([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|([\w!#$%&'*+.^`|~-]+)(?=[\s,]|$))/gy;

/** Up to the first fault. A parameter with two values is empty, because a client may read either. */
export function challengesOf({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  for (const [, name, quoted, bare, scheme] of (headers['www-authenticate'] ?? '').matchAll(piece)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    else {
      const value = quoted?.replace(/\\(.)/gs, '$1') ?? bare ?? '';
      const parameters = challenges.at(-1)?.parameters;
      const known = parameters?.get((name ?? '').toLowerCase()) ?? value;
      parameters?.set((name ?? '').toLowerCase(), known === value ? value : '');
    }
  }
  return challenges;
}
