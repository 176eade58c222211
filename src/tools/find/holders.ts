import { payeeName, readNamedPayee } from '../../core/payee.ts';
import { Problem } from '../../core/problem.ts';
import {
  code,
  count,
  dayOf,
  isEmpty,
  join,
  listed,
  own,
  quote,
  say,
  sentence,
  toText,
  type Words,
} from '../../core/words.ts';
import { partOf } from '../../document/asked-part.ts';
import {
  type AskedAt,
  type AskedPlace,
  beyondWords,
  isAtPlace,
  isOfAddress,
  recordedAt,
} from '../../document/asked-place.ts';
import { publisherOf, reachOf } from '../../document/hit.ts';
import { typeWords } from '../../document/sentences.ts';
import { datesWords, unique } from '../../document/words.ts';
import type { Listing } from '../../listings/listing.ts';
import type { FormerHolder } from '../../listings/references/former.ts';
import { inputsOf } from '../../listings/references/of-record.ts';
import {
  fileForm,
  folderIn,
  isDigest,
  type Reference,
  toAddressKey,
  toPackageReference,
} from '../../listings/references/references.ts';
import { networkWords } from '../../observations/known/prices/assets.ts';

export const mostNamed = 5;

export interface FoundListing extends AskedAt {
  readonly handle: string;
  readonly found_by?: Words;
}

/** What one, several and former holders do. */
const doing = {
  pay_to: ['asks to be paid at', 'ask to be paid at', 'asked for'],
  owner: ['is in', 'are in', 'was in'],
  advisory: ['has', 'have', 'had'],
  called: ['has', 'have', 'had'],
  moved: ['records what redirected Dossier to', 'record what redirected Dossier to', ''],
  template: ['records a template that fits', 'record a template that fits', ''],
  started: ['names', 'name', 'named'],
  place: ['records', 'record', 'recorded'],
} as const;
const doingOf = ({ kind }: Reference) => doing[kind in doing ? (kind as keyof typeof doing) : 'place'];

function placeOf({ kind, key, registry, network }: Reference): Words {
  if (kind === 'owner') return say`a namespace of ${code(key)}`;
  if (kind === 'called') return own('this name, title or namespace');
  if (kind === 'host') return own('an endpoint at this host');
  if (kind === 'input') return say`an input with the name ${code(key)}`;
  if (kind === 'started') return own('this in arguments that start another package');
  if (kind === 'moved' && !key.includes('/')) return own('this host');
  if (kind === 'template' || kind === 'moved') return own('this address');
  if (kind === 'advisory') return say`a package that Dossier read ${code(key)} about, for some version of it`;
  if (kind === 'pay_to')
    return say`this address${network === undefined ? say`` : say` on ${networkWords(network)}`}`;
  if (kind === 'package' && isDigest({ key, registry })) return own('a file or image with this SHA-256');
  if (kind === 'folder') return say`this repository and the folder ${code(folderIn({ kind, key }))}`;
  if (fileForm.test(key)) return own('a file of this name');
  return say`this ${registry ? say`${typeWords(registry)} ` : say``}${own(kind)}`;
}

const longestDescription = 100;

/** Of what was asked for, if the record has it. */
const reachedAt = (listing: Listing, asked: Reference): Words =>
  reachOf({ ...listing, ...partOf(listing, [asked]) }) ?? say``;

function differenceOf(listing: Listing, all: readonly Listing[], asked: Reference): Words {
  const { description, version, origin_status, undated, withdrawn } = listing;
  const isIn =
    asked.kind === 'repository' || all.some((one) => one.repository_folder !== listing.repository_folder);
  const folder = isIn ? listing.repository_folder : undefined;
  const said =
    description.length > longestDescription
      ? `${description.slice(0, longestDescription).toWellFormed()} …`
      : description;
  const at = reachedAt(listing, asked);
  const isElsewhere = all.some((one) => toText(reachedAt(one, asked)) !== toText(at));
  const parts = [
    publisherOf(listing),
    said ? quote(said) : say``,
    isElsewhere ? at : say``,
    folder === undefined ? say`` : say`folder ${code(folder)}`,
    version ? say`version ${code(version)}` : say``,
    ...(undated ? [] : datesWords(listing)),
    origin_status === 'deprecated' ? own('deprecated') : say``,
    withdrawn ? own('deleted by the registry') : say``,
  ];
  return join(parts, ', ');
}

export interface Several {
  readonly detail: Words;
  /** Of more than are named: the search that lists them, `isQuery` if its query is the name. */
  readonly rest?: { readonly words: Words; readonly isQuery: boolean };
  readonly candidates: readonly { readonly handle: string; readonly differs: Words }[];
}

export const severalWords = ({ detail, rest }: Several): Words => join([detail, rest?.words], ' ');

export const severalListings = (found: Several): Problem =>
  new Problem('several_listings', {
    detail: toText(severalWords(found)),
    candidates: found.candidates.map((one) => ({ ...one, differs: toText(one.differs) })),
  });

/** The networks of some offers are unknown, so the words say “as far as Dossier knows”. */
function networkOf({ network }: Reference, asked: string): Words {
  const wanted = network === undefined ? readNamedPayee(asked)?.network : undefined;
  return wanted === undefined ? say`` : say`, though not on ${networkWords(wanted)} as far as Dossier knows`;
}

/** Empty for what shows it, and for what nobody controls. */
function notShown({ kind }: Reference): Words {
  if (kind === 'owner' || kind === 'advisory') return say``;
  if (kind === 'input') return own('any record may name it');
  if (kind === 'called') return own('anybody may choose a name or title');
  if (kind === 'moved') return own('whether it has the same owner is not shown');
  if (kind === 'pay_to') return own('this does not show who owns the address');
  return say`recording does not show control${kind === 'template' && own('; Dossier checks no address of a template')}`;
}

function onlyWords(only: Listing, reference: Reference, asked: string): Words {
  const what = placeOf(reference);
  if (reference.kind === 'owner') return say`the only listing in ${what}`;
  const isPayee = reference.kind === 'pay_to';
  const as = isPayee ? networkOf(reference, asked) : recordedAs(only, reference, asked);
  const does = say`${own(isPayee ? 'whose endpoint' : 'that')} ${own(doingOf(reference)[0])}`;
  return join([say`the only listing ${does} ${what}${as}`, notShown(reference)], '; ');
}

function recordedAs(only: Listing, found: Reference, asked: string): Words {
  if (found.kind === 'input' || found.kind === 'folder') {
    const written = found.kind === 'input' ? found.key : folderIn(found);
    const inputs = [...only.remotes, ...only.packages].flatMap(inputsOf).map(({ key }) => key);
    const all = found.kind === 'input' ? inputs : [only.repository_folder ?? ''];
    const other = all.find((name) => name.toLowerCase() === written.toLowerCase());
    return other === undefined || all.includes(written) ? say`` : say` as ${code(other)}`;
  }
  if (!isOfAddress(found) && found.kind !== 'repository') return say``;
  const { repository = '' } = only;
  const written = [...recordedAt(only, found), ...[repository].filter(isAtPlace(found))];
  const recorded = written.find((one) => toAddressKey(one) === found.key) ?? written[0];
  if (recorded === undefined || recorded === asked) return say``;
  return say`${own(found.kind === 'template' ? ',' : ' as')} ${code(recorded)}`;
}

type HeldBy = readonly { readonly publisher: string | null }[];

export interface Holders {
  readonly recording: readonly (readonly Listing[])[];
  readonly formerly: readonly (readonly FormerHolder[])[];
  /** All; asked only where there are more than an answer names. */
  holding(reference: Reference): Promise<HeldBy>;
}

/** One more than an answer names, to say that there are more. */
export const mostRecording = mostNamed + 1;

/** `all`: needed where there are more than an answer names. */
export function countOfHolders(found: readonly unknown[], all: HeldBy): Words {
  if (found.length <= mostNamed) return count(found.length, 'listing');
  const publishers = new Set(all.map(({ publisher }) => publisher)).size;
  return say`${count(all.length, 'listing')} of ${count(publishers, 'publisher')}`;
}

/** A name that is searched as one: a plain word needs a registry. */
function nameOfPlace({ kind, key, registry, network }: Reference, [first]: readonly Listing[]): string {
  if (/^(?:endpoint|template|repository|moved)$/.test(kind)) return `https://${key}`;
  if (kind === 'folder') return `https://${key.replace('//', '/-/tree/HEAD/')}`;
  if (kind === 'pay_to') return payeeName({ address: key, network });
  const isPlain = kind === 'package' && /^\w+$/.test(key);
  const known = isPlain && first?.packages.map(toPackageReference).find((one) => one.key === key);
  const of = registry ?? (known ? known.registry : undefined);
  return of === undefined ? key : `${of}:${key}`;
}

/** Of those that are not named: the call that lists all. */
function restOf(reference: Reference, found: readonly Listing[]): Required<Several>['rest'] {
  const { kind, key } = reference;
  const isQuery = kind !== 'owner';
  const value = isQuery ? nameOfPlace(reference, found) : key;
  const address = `/agents?${isQuery ? 'q' : 'publisher'}=${encodeURIComponent(value)}`;
  const isNarrower = kind === 'package' && reference.registry === undefined && value !== key;
  const all = isNarrower
    ? say`all that record the ${typeWords(value.split(':')[0] ?? '')} package`
    : own('all');
  const words = say`${code('search_agents')} with ${own(isQuery ? 'query' : 'publisher')} ${code(value, address)} finds ${all}.`;
  return { words, isQuery };
}

const laterVersion = ({ until }: FormerHolder): Words =>
  say`another version, not the shown one, published ${dayOf(until)}`;

function hadWords(reference: Reference, former: FormerHolder, it = own('it')): Words {
  const [, , had] = doingOf(reference);
  return former.isLater
    ? say`records ${it} in ${laterVersion(former)}`
    : say`${own(had)} ${it} until ${dayOf(former.until)}`;
}

function onlyFormer(reference: Reference, what: Words, former: FormerHolder): Words {
  const until = dayOf(former.until);
  if (former.isLater) return say`the only listing that records ${what}, in ${laterVersion(former)}`;
  if (reference.kind === 'pay_to')
    return say`the only listing whose endpoint asked to be paid at ${what}, until ${until}; no listing asks for it now`;
  const [now, , had] = doingOf(reference);
  return say`the only listing that ${own(had)} ${what}, until ${until}; no listing ${own(now)} it now`;
}

/** True only if no listing has any of them now. */
export function pickFormer(
  name: AskedPlace,
  formerly: readonly (readonly FormerHolder[])[],
): FoundListing | Several | undefined {
  const { references, text: asked } = name;
  const at = formerly.findIndex((found) => found.length > 0);
  const reference = references[at];
  const found = formerly[at] ?? [];
  const [only, other] = found;
  if (!reference || !only) return undefined;
  const network = networkOf(reference, asked);
  const what = say`${placeOf(reference)}${network}`;
  if (!other)
    return {
      handle: only.listing.handle,
      found_by: onlyFormer(reference, what, only),
      at: { place: reference, name, listing: only.listing },
    };
  const [now, , had] = doingOf(reference);
  return {
    detail: join(
      [
        say`No listing shown here ${own(now)} ${placeOf(reference)} now; ${found.length > mostNamed ? say`More than ${mostNamed} listings` : count(found.length, 'listing')} ${own(had)} it${network}.`,
        sentence(notShown(reference)),
        beyondWords(undefined, reference, name, false),
      ],
      ' ',
    ),
    candidates: found.slice(0, mostNamed).map((former) => {
      const { listing } = former;
      const all = found.map((one) => one.listing);
      return {
        handle: listing.handle,
        differs: say`${hadWords(reference, former)}, ${differenceOf(listing, all, reference)}`,
      };
    }),
  };
}

const mostFormer = 2;

/** `it`: what they had, if it is not what is recorded now. */
function formerWords(
  reference: Reference,
  found: readonly Listing[],
  had: readonly FormerHolder[],
  it?: Words,
): Words[] {
  const others = had.filter(({ listing }) => found.every(({ handle }) => handle !== listing.handle));
  if (others.length === 0) return [];
  const each = others.slice(0, mostFormer).map((former, at) => {
    const { listing, until, isLater } = former;
    return at === 0 || isLater
      ? say`${code(listing.handle)} ${hadWords(reference, former, it)}`
      : say`${code(listing.handle)} until ${dayOf(until)}`;
  });
  return [listed(others.length > mostFormer ? [...each, own('others before')] : each)];
}

export async function pickRecording(
  name: AskedPlace,
  { recording, formerly, holding }: Holders,
): Promise<FoundListing | Several | undefined> {
  const { references, text: asked } = name;
  // Of inputs that a text names, the one that fewest record.
  const ranks = recording.map(({ length }, n) => (references[n]?.kind === 'input' ? length : 1));
  const held = ranks.flatMap((rank, n) => (recording[n]?.length ? { rank, n } : []));
  const at = held.toSorted((a, b) => a.rank - b.rank)[0]?.n ?? -1;
  const reference = references[at];
  const found = recording[at] ?? [];
  const [only, other] = found;
  if (!reference || !only) return undefined;
  // A more exact place may be one of earlier, as a file of the repository.
  const former = unique(
    references
      .slice(0, at + 1)
      .flatMap((one, n) =>
        n === at
          ? formerWords(one, found, formerly[n] ?? [])
          : formerWords(one, [], formerly[n] ?? [], placeOf(one)),
      ),
  );
  if (!other)
    return {
      handle: only.handle,
      found_by: join([onlyWords(only, reference, asked), ...former], '; '),
      at: { place: reference, name, listing: only },
    };
  const isSpelled =
    reference.kind !== 'input' || found.every((one) => isEmpty(recordedAs(one, reference, asked)));
  const where = say`${placeOf(reference)}${isSpelled ? networkOf(reference, asked) : own(', in these or other capitals')}`;
  const all = found.length > mostNamed ? await holding(reference) : [];
  return {
    ...(found.length > mostNamed && { rest: restOf(reference, found) }),
    detail: join(
      [
        say`${countOfHolders(found, all)} ${own(doingOf(reference)[1])} ${join([where, ...former], '; ')}.`,
        sentence(notShown(reference)),
        reference.kind === 'pay_to' && say`Since when each asks: ${code(`/payees/${reference.key}`)}.`,
        beyondWords(undefined, reference, name),
      ],
      ' ',
    ),
    candidates: found
      .slice(0, mostNamed)
      .map((one) => ({ handle: one.handle, differs: differenceOf(one, found, reference) })),
  };
}
