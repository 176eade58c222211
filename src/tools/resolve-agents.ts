import { z } from 'zod';
import type { Context } from '../context.ts';
import { isHandle } from '../core/handle.ts';
import { code, day, lines, list, paragraphs, toInlineText } from '../core/text.ts';
import { toAnswer } from '../document/answers/answers.ts';
import { toHit } from '../document/hit.ts';
import type { ListingFacts } from '../document/record.ts';
import { mostSearched, type Resolved, resolvedNames, toResolvedLines } from '../document/resolved.ts';
import { searchLimit } from '../limits/searches.ts';
import type { Listing } from '../listings/listing.ts';
import { type Reference, toHost, toPackageReference, toReferences } from '../listings/references.ts';
import {
  type Found,
  handlesInAddress,
  isName,
  mostRecording,
  orEmpty,
  pickRecording,
  toNearText,
  withdrawal,
} from './find/listing.ts';
import { findLacking } from './find/near-misses.ts';
import { toReadDocument } from './get-agent.ts';
import { namedInput } from './input/fields.ts';
import { closingText, untrustedOf } from './texts.ts';
import { defineTool, readsOnly } from './tool.ts';

/** The most names of a call, and the most listings that are read at once. */
const mostNames = 100;
const longestName = 500;
const maxNear = 5;

/** A name as sent, the handles that it may be, and what listings may record of it; other listings at its hosts are near. */
function toAsked(asked: string, { config }: Context) {
  const text = asked.trim().replace(/^<(.*)>$/s, '$1');
  // As get_agent has it: what has the form of a handle names nothing else.
  const references = isHandle(text) ? [] : toReferences(text);
  const hosts = references.flatMap(({ kind, key }): Reference[] =>
    kind === 'endpoint' ? [{ kind: 'host', key: toHost(key) }] : [],
  );
  const handles = isHandle(text) ? [text] : handlesInAddress(text, config);
  return { asked, text, handles, references, hosts };
}
type Asked = ReturnType<typeof toAsked>;

/** What is known of some listings, by handle. */
async function readFacts(handles: readonly string[], { store, clock }: Context) {
  const facts = new Map<string, ListingFacts>();
  for (let at = 0; at < handles.length; at += mostNames) {
    const read = await store.documents.factsOfAll(handles.slice(at, at + mostNames), clock().toISOString());
    for (const one of read) facts.set(one.listing.handle, one);
  }
  return facts;
}

/** The version that a listing records of the package asked for. */
const packageVersionOf = ({ packages }: Listing, { references }: Asked): string | undefined =>
  packages.find((one) => {
    const { key, registry } = toPackageReference(one);
    return references.some((asked) => asked.key === key && (asked.registry ?? registry) === registry);
  })?.version;

async function toListed(
  one: Asked & Partial<Found>,
  facts: ListingFacts,
  context: Context,
): Promise<Resolved> {
  const { listing, observed, native } = facts;
  const { handle, version, withdrawn } = listing;
  if (withdrawn)
    return { asked: one.asked, outcome: 'withdrawn', handle, reason: await withdrawal(listing, context) };
  const { notes, standsOut } = toAnswer(toReadDocument(facts, context), 'short');
  const package_version = packageVersionOf(listing, one);
  return {
    ...{ asked: one.asked, outcome: 'listed', version },
    ...toHit({ listing, observations: observed?.observations ?? [], native }),
    ...(one.found_by && { found_by: one.found_by }),
    ...(package_version && { package_version }),
    ...(notes.length > 0 && { notes: [...notes] }),
    stands_out: standsOut.map(({ key, text }) => ({ key, text })),
  };
}

/** A name that no listing records; handles like it are looked for if `isSearched`. */
async function toMissing(
  { asked, text, references }: Asked,
  [atHosts, isSearched]: [readonly Listing[], boolean],
  context: Context,
): Promise<Resolved> {
  const { store } = context;
  // The likeliest is first; every address may be that of an endpoint.
  const field = references[0]?.kind === 'package' ? 'package' : 'endpoint';
  const reason = references.length > 0 && (await findLacking(store, [field]));
  const read = async () => (await store.listings.near(toNearText(text, references), maxNear)).near;
  const alike = isSearched ? await orEmpty(read(), context) : [];
  const near = [...atHosts.map(({ handle }) => handle), ...alike].slice(0, maxNear);
  return {
    asked,
    ...(reason ? { outcome: 'not_known', reason } : { outcome: 'not_listed' }),
    ...(near.length > 0 && { near }),
  };
}

/** What each name is; read in statements for a hundred of them. */
async function resolveAll(names: readonly Asked[], context: Context): Promise<Resolved[]> {
  const named = await readFacts([...new Set(names.flatMap(({ handles }) => handles))], context);
  const handleOf = ({ handles }: Asked) => handles.find((handle) => named.has(handle));
  const references = names.flatMap((one) => (handleOf(one) ? [] : [...one.references, ...one.hosts]));
  const read = await context.store.listings.recording(references, mostRecording);
  const recorders = new Map(references.map((one, at) => [one, read[at] ?? []]));
  const recording = (all: readonly Reference[]) => all.map((one) => recorders.get(one) ?? []);
  const picked = names.map((one) => {
    const handle = handleOf(one);
    return { one, by: handle ? { handle } : pickRecording(one.references, recording(one.references)) };
  });
  const found = picked.flatMap(({ by }) => (by && 'handle' in by && !named.has(by.handle) ? by.handle : []));
  const facts = new Map([...named, ...(await readFacts([...new Set(found)], context))]);
  let searched = 0;
  return Promise.all(
    picked.map(({ one, by }) => {
      if (by && 'candidates' in by)
        return { asked: one.asked, outcome: 'several_listings' as const, candidates: [...by.candidates] };
      const known = by && facts.get(by.handle);
      if (known) return toListed({ ...one, ...by }, known, context);
      const atHosts = recording(one.hosts).flat();
      const mayBeName =
        atHosts.length === 0 &&
        (one.references.length > 0 || one.handles.length > 0 || isName.test(one.text));
      return toMissing(one, [atHosts, mayBeName && searched++ < mostSearched], context);
    }),
  );
}

const untrusted = [
  ...(['title', 'description', 'version', 'package_version'] as const),
  ...(['facts', 'stands_out', 'candidates'] as const),
] as const;

/** What up to a hundred names are, for programs that have a list of what somebody uses. */
export const resolveAgents = defineTool({
  name: 'resolve_agents',
  title: 'Find the listings of a list of names',
  description:
    'Finds, for up to 100 handles, endpoints, repositories or packages at once, the listing that each is, how it was found, what stands out, and the version that the record names. For one service use get_agent, to choose among a few compare_agents. Not listed is no verdict.',
  effects: readsOnly,
  input: z.strictObject({ handles: z.array(namedInput.max(longestName)).min(1).max(mostNames) }),
  output: resolvedNames,
  listedTo: 'nobody',
  ownLimits: [searchLimit],
  example: { handles: ['https://mcp.webhook.co/mcp', 'npm:@political-comms/mcp', 'npm:left-pad'] },
  toText: ({ results, ...answer }) =>
    paragraphs(
      ...results.map((one) => lines(code(one.asked), list(toResolvedLines(one), toInlineText))),
      `${answer.statement} As of ${answer.evidence_snapshot_date}.`,
      closingText(answer),
    ),
  async run({ handles }, context) {
    const { caller, clock, searches } = context;
    const now = clock();
    const names = handles.map((one) => toAsked(one, context));
    const asked = { network: caller.network, now_ms: now.getTime() };
    const results = await searches.run(asked, () => resolveAll(names, context));
    const has = (name: (typeof untrusted)[number]) =>
      results.some((one) => untrustedOf(one, [name]).length > 0);
    return {
      results,
      evidence_snapshot_date: day(now.toISOString()),
      statement: 'A listing is not verification and not a recommendation to buy.',
      untrusted_fields: untrusted.filter(has).map((name) => `results.${name}`),
    };
  },
});
