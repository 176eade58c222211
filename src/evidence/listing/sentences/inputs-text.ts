import { named } from '../../text/markdown-text.ts';
import type { ListingInput } from '../listing-input.ts';

const words = {
  header: ['header', 'headers'],
  variable: ['variable', 'variables'],
  environment: ['environment variable', 'environment variables'],
  argument: ['argument', 'arguments'],
} as const;

const article = (text: string) => `${/^[aeiou]/.test(text) ? 'an' : 'a'} ${text}`;

function toPhrase(group: readonly ListingInput[]): string {
  const [first] = group;
  if (!first) return '';
  const [one, many] = words[first.kind];
  const kind = `${first.secret ? 'secret ' : ''}${group.length > 1 ? many : one}`;
  const names = group.map(({ name }) => named(name)).join(', ');
  return `${first.required ? 'needs' : 'takes'} ${group.length > 1 ? kind : article(kind)} ${names}`;
}

/** The inputs of a remote or package, as in `needs a secret header Authorization; takes an argument --port`. */
export function inputsText(inputs: readonly ListingInput[] | undefined): string | undefined {
  if (!inputs || inputs.length === 0) return undefined;
  const groups = Map.groupBy(inputs, ({ kind, required, secret }) => `${required} ${secret} ${kind}`);
  const phrases = [...groups.values()].map(toPhrase);
  return [
    ...phrases.filter((text) => text.startsWith('needs')),
    ...phrases.filter((text) => text.startsWith('takes')),
  ].join('; ');
}
