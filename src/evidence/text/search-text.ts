import { tokenize } from './tokenize.ts';

/** The words of a listing that a search looks in, tier by tier; the same for every engine. */
export interface SearchText {
  readonly name: readonly string[];
  readonly tags: readonly string[];
  readonly body: readonly string[];
}

/** Where a forge's accounts live: in the handles of half the registry, and part of nobody's own name. */
const forgePrefix = /^(io|com)\.(github|gitlab)\./i;

/** The texts of a listing that a search looks in. */
interface Searchable {
  readonly handle: string;
  readonly title: string | undefined;
  readonly tags: readonly { readonly tag: string }[];
  readonly description: string;
}

/** Own name (namespace without its forge, name, title), tags, and the rest. */
export function toSearchText({ handle, title, tags, description }: Searchable): SearchText {
  const [forge = ''] = forgePrefix.exec(handle) ?? [];
  return {
    name: tokenize(`${handle.slice(forge.length)} ${title ?? ''}`),
    tags: tags.flatMap(({ tag }) => tokenize(tag)),
    body: tokenize(`${description} ${forge}`),
  };
}
