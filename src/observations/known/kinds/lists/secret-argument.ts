import { asMembers } from '../../../../core/json.ts';

const secretWords =
  /(?:^| )(?:password|passwd|passphrase|passcode|secret|credentials?|token|apikey|mnemonic|cookie|jwt|otp|pin|cvv|cvc)$/;
const secretPairs =
  /(?:^| )(?:(?:api|access|private|secret|auth|encryption|signing|license) key|(?:seed|recovery) (?:phrase|words))$/;
/** Whoever has its number can pay with it. */
const cards =
  /(?:^| )(?:credit|debit|payment|deposit|bank) card(?: (?:number|no))?$|(?:^| )card (?:number|no)$/;
/** Usually not secret, for example page tokens and tokens of a currency. */
const otherTokens =
  /(?:^| )(?:page|next|prev|previous|continuation|continue|cursor|sync|resume|start|stop|input|output|buy|sell|from|to|base|quote) token$/;

/** `apiKey`, `API_KEY` and `api-key` become `api key`. */
const wordsOf = (name: string) =>
  name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase();

const mostSecrets = 5;

/** The names of a tool's own arguments that are secrets. */
export const secretArguments = (inputSchema: unknown): string[] =>
  Object.entries(asMembers(asMembers(inputSchema).properties))
    .flatMap(([name, schema]) => (isSecretArgument(name, schema) ? [name.slice(0, 100)] : []))
    .slice(0, mostSecrets);

const marks = ['writeOnly', 'x-secret', 'isSecret', 'secret', 'sensitive'];

/** Such as `byApiKey`, which asks for a list by key. */
function isYesOrNo({ type, anyOf }: Readonly<Record<string, unknown>>): boolean {
  const types = [type ?? (Array.isArray(anyOf) ? anyOf.map((one) => asMembers(one).type) : [])].flat();
  return types.includes('boolean') && types.every((one) => one === 'boolean' || one === 'null');
}

export function isSecretArgument(name: string, schema: unknown): boolean {
  const members = asMembers(schema);
  if (members.format === 'password' || marks.some((mark) => members[mark] === true)) return true;
  return isSecretName(name) && !isYesOrNo(members);
}

export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const isNamed = [secretWords, secretPairs, cards].some((one) => one.test(words));
  return isNamed && !otherTokens.test(words);
}
