import type { Context } from '../../context.ts';
import type { WebRead } from '../../domains/reader.ts';
import { registryKeyPath } from '../../evidence/claim/methods/registry-key.ts';
import type { ProofPlace } from '../../evidence/claim/proof-place.ts';
import { parsePublishedKeys } from '../../evidence/claim/registry-key.ts';
import { namesThatCount } from './names-that-count.ts';
import type { PlaceCheck, SeenKey } from './place-check.ts';

/** The registry reads no more of the file. */
const fileLimit_bytes = 4096;

/** One source of keys: its text, the keys in it, and whether it was read so that a missing key is known to be gone. */
interface KeySource {
  readonly text: string;
  readonly keys: readonly SeenKey[];
  readonly isConclusive: boolean;
  readonly failure?: Exclude<WebRead, { result: 'body' }>;
}

async function readInDns(domain: string, { domains }: Context): Promise<KeySource> {
  const answer = await domains.txt(domain);
  if (answer === 'no_answer') return { text: '', keys: [], isConclusive: false };
  const { records, isAgreed, resolvers, dnssec } = answer;
  const text = records.join('\n');
  const seen = { domain, resolvers, dnssec };
  return { text, keys: parsePublishedKeys(text).map((key) => ({ ...key, seen })), isConclusive: isAgreed };
}

async function readOnWeb(domain: string, { domains }: Context): Promise<KeySource> {
  const read = await domains.file(new URL(`https://${domain}${registryKeyPath}`));
  if (read.result !== 'body')
    return { text: '', keys: [], isConclusive: read.result === 'absent', failure: read };
  const text = read.body.length > fileLimit_bytes ? '' : read.body.toString('utf8');
  const keys = parsePublishedKeys(text).map((key) => ({ ...key, seen: { domain } }));
  return { text, keys, isConclusive: true };
}

/** A web server of a domain below that of the claim in force is not asked. */
const nothingOnWeb: KeySource = { text: '', keys: [], isConclusive: true };

/** Whether a missing key is known to be gone: from where the claim in force was proven, or else from both. */
async function isPinned(handle: string, [dns, web]: readonly [boolean, boolean], { store }: Context) {
  const claim = await store.claims.claim(handle);
  if (claim?.kind !== 'registry_key') return dns && web;
  return claim.seen?.resolvers === undefined ? web : dns;
}

/** Reads the keys that a domain publishes for the MCP registry: in DNS also those of a domain above it. */
export async function readRegistryKeys(
  { shown }: ProofPlace,
  context: Context,
  handle: string,
): Promise<PlaceCheck> {
  const names = await namesThatCount(shown, handle, context);
  const [web, ...inDns] = await Promise.all([
    names[0] === shown ? readOnWeb(shown, context) : nothingOnWeb,
    ...names.map((domain) => readInDns(domain, context)),
  ]);
  const sources = [...inDns, web];
  const keys = sources.flatMap((source) => source.keys);
  const pinned = await isPinned(
    handle,
    [inDns.every(({ isConclusive }) => isConclusive), web.isConclusive],
    context,
  );
  if (keys.length > 0)
    return { result: 'file', text: sources.map(({ text }) => text).join('\n'), keys, pinned };
  const isSilent = inDns.some(({ isConclusive }) => !isConclusive);
  return { result: isSilent ? 'dns_no_answer' : 'key_not_published', pinned };
}
