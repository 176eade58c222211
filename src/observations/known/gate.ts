import { mapTexts } from '../../core/json.ts';
import { toLine, toShownName } from '../../core/text.ts';
import { own, type Words, type WordsPart } from '../../core/words.ts';
import { outcomes } from '../asked/outcome.ts';
import type { Kind } from './kind.ts';
import type { Finding } from './observation.ts';
import type { DatedFinding } from './recording.ts';
import { shorten, sizeOf } from './shorten.ts';
import { packValue } from './timeline/packed.ts';

/** A longer value is shown by its beginning and stored whole. */
const mostValue_bytes = 1024;
const mostDetails_bytes = 16 * 1024;
/** For details and `as_seen` of all facts about one subject, except lists of tools. */
const mostOfSubject_bytes = 32 * 1024;
const mostLists_bytes = 256 * 1024;
const longestReason = 300;

type GatedDetails = Pick<Finding, 'details' | 'as_seen'>;

const shownOf = ({ details, as_seen }: GatedDetails): GatedDetails => ({
  ...(details && { details }),
  ...(as_seen && { as_seen }),
});

function shortenDetails(found: DatedFinding, most_bytes: number): DatedFinding {
  const shown = shownOf(found);
  if (sizeOf(shown) <= most_bytes) return found;
  const { details: _, as_seen: __, ...rest } = found;
  return { ...rest, ...(shorten(shown, most_bytes) as GatedDetails) };
}

function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(hasFiniteNumbers);
}

/** As the store returns it, because the next value is compared with that form. */
const cleaned = <T>(value: T, clean: (text: string) => string): T =>
  mapTexts(JSON.parse(JSON.stringify(value)), clean) as T;

function cutReason({ parts }: Words): readonly WordsPart[] {
  let left = longestReason;
  const kept: WordsPart[] = [];
  for (const part of parts) {
    if (left <= 0) break;
    const whole = part.is === 'own' ? part.text : toLine(part.text);
    const text = whole.length > left ? `${whole.slice(0, left - 1).toWellFormed()}…` : whole;
    left -= text.length;
    kept.push({ ...part, text });
  }
  return kept;
}

/**
 * Lists of tools have their own limit (`fitTogether`).
 * @throws if the finding cannot be stored
 */
export function passGate({ kind, method_version, lists, isList, value: schema }: Kind, finding: Finding) {
  const { value, whole, details, as_seen, why, open, ...found } = finding;
  if (!outcomes.includes(found.outcome))
    throw new Error(`${String(found.outcome).slice(0, 100)} is no outcome`);
  if (!hasFiniteNumbers([value, whole, details, as_seen])) throw new Error('a number is not finite');
  const clean = lists ? toShownName : toLine;
  const cleanValue = cleaned(value, clean);
  if (cleanValue !== null) schema.parse(cleanValue);
  const isLong = whole === undefined && sizeOf(cleanValue) > mostValue_bytes;
  const fact: DatedFinding = {
    ...found,
    kind,
    method_version,
    value: isLong ? (shorten(cleanValue, mostValue_bytes) as Finding['value']) : cleanValue,
    ...(whole !== undefined && { whole: lists ? whole : cleaned(whole, clean) }),
    ...(isLong && { whole: cleanValue }),
    ...cleaned(shownOf(finding), clean),
    ...(why !== undefined && { why: cutReason(why) }),
    ...(open && { open: { exchange: open.exchange, why: cutReason(open.why) } }),
  };
  return isList ? fact : shortenDetails(fact, mostDetails_bytes);
}

/** Nobody could watch all of a value that is too large. */
export async function withPacked(found: DatedFinding): Promise<DatedFinding> {
  const { whole, whole_digest, details: _, as_seen: __, ...others } = found;
  if (whole === undefined) return found;
  const packed = await packValue(whole, whole_digest);
  if (packed === 'too_large') return { ...others, value: null, outcome: 'otherwise', why: tooLarge.parts };
  return { ...found, packed, ...(found.value !== packed.digest && { value_digest: packed.digest }) };
}

const tooLarge = own('It has more than 2 MiB or 100,000 JSON values, so Dossier cannot watch it.');

/** Lists of one kind share their room equally, and so do the facts about a subject if it is too small. */
export function fitTogether(found: readonly DatedFinding[], isList: (kind: string) => boolean) {
  const sharing = Map.groupBy(found, ({ kind, subject }) => (isList(kind) ? kind : `of ${subject}`));
  const rooms = new Map(
    [...sharing.values()].flatMap((all) => {
      const isOfLists = all.some(({ kind }) => isList(kind));
      const most_bytes = isOfLists ? mostLists_bytes : mostOfSubject_bytes;
      // Lists of other endpoints may come with another check.
      const isEnough = !isOfLists && all.reduce((sum, one) => sum + sizeOf(shownOf(one)), 0) <= most_bytes;
      return all.map((one) => [one, isEnough ? most_bytes : Math.floor(most_bytes / all.length)] as const);
    }),
  );
  return found.map((one) => shortenDetails(one, rooms.get(one) ?? 0));
}
