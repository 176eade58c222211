import { domainToUnicode } from 'node:url';
import type { Reference } from './references.ts';

/** Each looks like the letter of ASCII before it. */
const alike =
  'aаαɑ bвƅь cсϲ dԁđ eеεҽ gɡ hһн iіιıӏ jј kкκ lⅼł mм nпηո oоοօøσ pрρ qԛ rг sѕ tтτ uυս vνѵ wԝω xхχ yуγү zʐ';
const letters = new Map(
  alike.split(' ').flatMap(([letter = '', ...others]) => others.map((one) => [one, letter] as const)),
);

/** With the letters that it seems to have; undefined for one that is what it seems. */
export function toPlainHost(host: string): string | undefined {
  const plain = [...domainToUnicode(host).normalize('NFKD').replace(/\p{M}/gu, '')]
    .map((one) => letters.get(one) ?? one)
    .join('');
  return plain !== host && /^[\w.-]+$/.test(plain) ? plain : undefined;
}

export const isAtHost = ({ kind, key }: Reference): boolean =>
  kind === 'endpoint' || kind === 'host' || (kind === 'owner' && !key.includes('/'));
