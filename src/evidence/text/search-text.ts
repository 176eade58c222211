import { tokenize } from './tokenize.ts';

/** The words of a listing by search tier, the same for every engine. */
export interface SearchText {
  readonly name: readonly string[];
  readonly tags: readonly string[];
  readonly body: readonly string[];
}

/** The namespace prefix of a forge: half of all handles have one, and it is no part of a listing's own name. */
const forgePrefix = /^(io|com)\.(github|gitlab)\./i;

/** The texts of a listing that a search looks in. */
interface Searchable {
  readonly handle: string;
  readonly title: string | undefined;
  readonly tags: readonly { readonly tag: string }[];
  readonly description: string;
}

/** The words of a listing's own name (namespace without forge, name, title), of its tags, and of the rest. */
export function toSearchText({ handle, title, tags, description }: Searchable): SearchText {
  const [forge = ''] = forgePrefix.exec(handle) ?? [];
  return {
    name: tokenize(`${handle.slice(forge.length)} ${title ?? ''}`),
    tags: tags.flatMap(({ tag }) => tokenize(tag)),
    body: tokenize(`${description} ${forge}`),
  };
}
