import { asMembers } from '../../../core/json.ts';

/** Last words of names of secrets. */
const secretWords =
  /(?:^| )(?:password|passwd|passphrase|passcode|secret|credentials?|token|apikey|mnemonic|cookie|jwt|otp|pin)$/;
const secretPairs =
  /(?:^| )(?:(?:api|access|private|secret|auth|encryption|signing|license) key|(?:seed|recovery) (?:phrase|words))$/;
/** Tokens that say where a list goes on, or which one of a currency is meant, are no secrets. */
const otherTokens =
  /(?:^| )(?:page|next|prev|previous|continuation|continue|cursor|sync|resume|start|stop|input|output|buy|sell|from|to|base|quote) token$/;

/** `apiKey`, `API_KEY` and `api-key` as `api key`. */
const wordsOf = (name: string) =>
  name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase();

const marks = ['writeOnly', 'x-secret', 'isSecret', 'secret', 'sensitive'];

/**
 * Whether an argument is named or marked as a secret. This is the only place that decides it: the name ends
 * with a word such as password, token, secret, credentials or API key, the format is `password`, or the
 * schema has `writeOnly`, `isSecret`, `sensitive` or `x-secret`.
 */
export function isSecretArgument(name: string, schema: unknown): boolean {
  const members = asMembers(schema);
  if (members.format === 'password' || marks.some((mark) => members[mark] === true)) return true;
  const words = wordsOf(name);
  return (secretWords.test(words) || secretPairs.test(words)) && !otherTokens.test(words);
}
