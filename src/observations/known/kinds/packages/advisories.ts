import { z } from 'zod';
import {
  code,
  codes,
  count,
  day,
  isEmpty,
  join,
  own,
  quote,
  say,
  type Words,
} from '../../../../core/words.ts';
import {
  type Advisory,
  advisory,
  affects,
  type FoundAdvisories,
  isMalware,
} from '../../../asked/packages/osv.ts';
import { type Ecosystem, ecosystemOf, osvRegistries } from '../../../asked/packages/version-order.ts';
import { type RecordedPackage, registryOf, versionsOf } from '../../../asked/published/recorded.ts';
import type { CheckRun } from '../../../asked/run.ts';
import { defineKind, type ShownFinding, type StandingOut } from '../../kind.ts';
import type { Finding, Observation } from '../../observation.ts';
import { withoutAnswer } from '../remotes.ts';
import { ofPackages, packageOf, readPublished } from './packages.ts';
import { firstStored, merged } from './stored.ts';
import { stillWithdrawn, withdrawn, withdrawnWords } from './withdrawn.ts';

const value = z.strictObject({
  count: z.number(),
  /** About the recorded version. Malicious code first, because a long value is cut at its end. */
  ids: z.array(z.string()),
  not_compared: z.array(z.string()),
  /** Absent if Dossier did not read advisories about other versions. */
  others: z.strictObject({ count: z.number(), ids: z.array(z.string()) }).optional(),
});
type AdvisoriesValue = z.infer<typeof value>;

/** `version` is null if none is known; `advisories` then has only those about every version. */
const details = z.object({
  version: z.string().nullable().optional().catch(undefined),
  /** The registry lacks the version, so an empty list says nothing about it. */
  is_absent: z.literal(true).optional().catch(undefined),
  saved_on: z.string().optional().catch(undefined),
  advisories: z.array(advisory).catch([]),
  others: z.array(advisory).catch([]),
  withdrawn,
});
const readDetails = (found: Pick<ShownFinding, 'details'>) => details.parse(found.details ?? {});

const malwareFirst = <One extends Pick<Advisory, 'id'>>(found: readonly One[]) =>
  found
    .toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)))
    .sort((a, b) => Number(isMalware(b.id)) - Number(isMalware(a.id)));

const idsIn = (found: AdvisoriesValue | undefined): readonly string[] =>
  found ? [...found.ids, ...found.not_compared, ...(found.others?.ids ?? [])] : [];

/** Of any version, also by their names as CVE, and those that were withdrawn. */
export function namesOfAdvisories(
  found: Pick<ShownFinding, 'details'> & { readonly value: AdvisoriesValue | null },
): string[] {
  const { advisories, others, withdrawn: gone } = readDetails(found);
  const aliases = [...advisories, ...others].flatMap((one) => one.aliases ?? []);
  return [...new Set([...idsIn(found.value ?? undefined), ...Object.keys(gone), ...aliases])];
}

const idsOf = (found: readonly Advisory[]) => found.map(({ id }) => id);

function toAdvisories(
  { found, isOfVersion, withdrawn: gone, source, saved_on }: FoundAdvisories,
  ecosystem: Ecosystem,
  version: string | undefined,
  isAbsent = false,
): Finding<AdvisoriesValue> {
  const byEnd = Map.groupBy(malwareFirst(merged(found)), (one) => affects(one, version, ecosystem));
  const { yes: affecting = [], no: others = [], unknown = [] } = Object.fromEntries(byEnd);
  return {
    value: {
      count: affecting.length,
      ids: idsOf(affecting),
      not_compared: idsOf(unknown),
      ...(!isOfVersion && { others: { count: others.length, ids: idsOf(others) } }),
    },
    outcome: 'seen',
    details: {
      version: version ?? null,
      ...(isAbsent && { is_absent: true }),
      ...(saved_on !== undefined && { saved_on }),
      advisories: firstStored(affecting),
      others: firstStored(malwareFirst([...others, ...unknown])),
      ...(Object.keys(gone).length > 0 && { withdrawn: gone }),
    },
    source,
  };
}

const hasMalware = ({ value: found }: Finding<AdvisoriesValue>) => found?.ids.some(isMalware) === true;

/** Callers may run any recorded version, so malicious code in another one replaces `first`. */
function otherMalware(
  answer: FoundAdvisories,
  first: Finding<AdvisoriesValue>,
  asked: { readonly recorded: RecordedPackage; readonly run: CheckRun; readonly ecosystem: Ecosystem },
): Finding<AdvisoriesValue> | undefined {
  if (answer.isOfVersion || hasMalware(first)) return undefined;
  return versionsOf(asked.run.listing, asked.recorded)
    .filter(({ version }) => version !== undefined)
    .map(({ recorded, version }) => ({ ...toAdvisories(answer, asked.ecosystem, version), recorded }))
    .find(hasMalware);
}

async function advisoriesOf(recorded: RecordedPackage, run: CheckRun): Promise<Finding<AdvisoriesValue>> {
  const { type: registry } = recorded;
  const ecosystem = ecosystemOf(registry);
  // OSV finds a package only by its spelling in the registry; NuGet and crates.io accept others.
  const isSpelledFreely = registry === 'nuget' || registry === 'cargo';
  const isNeeded = recorded.version === undefined || isSpelledFreely;
  const published = await readPublished(run, recorded);
  const { name, version } = isNeeded && published.result === 'published' ? published : recorded;
  const known = run.earlier('package.advisories', recorded.subject);
  const before = readDetails(known ?? {}).withdrawn;
  const told = idsIn(value.safeParse(known?.value).data);
  const read = await run.advisories({ registry, ecosystem, name, version, told });
  if (read.result !== 'advisories') return withoutAnswer(read);
  const answer = { ...read, withdrawn: stillWithdrawn({ ...before, ...read.withdrawn }, read.found) };
  const isAbsent = published.result === 'no_answer' && published.outcome === 'absent';
  const finding = toAdvisories(answer, ecosystem, version, isAbsent);
  // Without a known version, only advisories about every version and malicious code can be reported.
  const isOtherSpelling = isSpelledFreely && answer.isBySpelling && answer.found.length === 0 && !isAbsent;
  const isLoose = version === undefined || isOtherSpelling;
  const isReported = answer.found.some(({ id }) => isMalware(id));
  if (isLoose && published.result === 'no_answer' && finding.value?.count === 0 && !isReported)
    return withoutAnswer(published);
  const other = otherMalware(answer, finding, { recorded, run, ecosystem });
  // What is not there has a day of its own, and an empty list says nothing about it.
  const why = isAbsent && finding.value?.count === 0 && { why: published.why };
  return other ?? { ...finding, ...why };
}

const hasFewVersions = ({ versions, is_part }: Pick<Advisory, 'versions' | 'is_part'>): boolean =>
  !is_part && versions.length > 0 && versions.length <= 3;

function affectedWords({ versions, ranges, is_part }: Advisory): Words {
  const [range, ...more] = ranges;
  if (hasFewVersions({ versions, is_part })) return codes(versions);
  if (is_part || !range || more.length > 0 || range.events.length > 2) return own('');
  const { introduced } = range.events.find((one) => one.introduced !== undefined) ?? {};
  const end = range.events.find((one) => one.introduced === undefined);
  const { fixed, last_affected } = end ?? {};
  const from = introduced !== undefined && introduced !== '0' && say`from ${code(introduced)}`;
  const last = last_affected !== undefined && say`up to ${code(last_affected)}`;
  return join([from, fixed === undefined ? last : say`before ${code(fixed)}`], ' ');
}

/** The only version that mends it, if its ranges name one. */
function fixWords({ ranges, is_part }: Advisory): Words | false {
  const fixed = ranges.flatMap(({ events }) => events.flatMap((one) => one.fixed ?? []));
  const [only] = fixed;
  return !is_part && new Set(fixed).size === 1 && only !== undefined && say` (fixed in ${code(only)})`;
}

type Detail = 'versions' | 'summary' | 'all';

function advisoryWords(id: string, held: readonly Advisory[], detail: Detail): Words {
  const one = held.find((other) => other.id === id);
  const affected = one && detail !== 'summary' ? affectedWords(one) : own('');
  const fix = one && (isEmpty(affected) || hasFewVersions(one)) && fixWords(one);
  const named = isEmpty(affected) ? say`${code(id)}${fix}` : say`${affected}: ${code(id)}${fix}`;
  const what = isMalware(id) && detail !== 'summary' && own(', malicious code');
  if (!one || detail === 'versions') return say`${named}${what}`;
  const { summary, severity } = one;
  const said = summary !== undefined && say` ${quote(summary)}`;
  const none = !isMalware(id) && own(' (severity not stated)');
  return say`${named}${what}${said}${severity === undefined ? none : say` (severity ${quote(severity)})`}`;
}

function namedWords(
  { count: all, ids }: { readonly count: number; readonly ids: readonly string[] },
  held: readonly Advisory[],
  detail: Detail,
  most: number,
): Words {
  const shown = ids.slice(0, most).map((id) => advisoryWords(id, held, detail));
  const more = all > shown.length && say`${all - shown.length} more`;
  return join([...shown, more], detail === 'summary' ? ', ' : '; ');
}

function versionWords(found: Pick<ShownFinding, 'details'>): Words {
  const { version } = readDetails(found);
  if (version === null) return own('every version');
  return version === undefined ? own('the recorded version') : say`version ${code(version)}`;
}

/** An answer of a copy is as old as the copy. */
function osvWords(found: Pick<ShownFinding, 'details'>): Words {
  const { saved_on } = readDetails(found);
  return saved_on === undefined ? own('OSV') : say`OSV as saved on ${day(saved_on)}`;
}

const inCopy = (found: Pick<ShownFinding, 'details'>): Words | false =>
  readDetails(found).saved_on !== undefined && say` in ${osvWords(found)}`;

const mostInLine = 2;
const mostInFull = 20;

function othersWords(found: ShownFinding<AdvisoriesValue>, most: number, detail: Detail): Words | false {
  const { others } = found.value;
  if (others === undefined) return own('; advisories about other versions were not read');
  const named = namedWords(others, readDetails(found).others, detail, most);
  return others.count > 0 && say`; ${others.count} about other versions (${named})`;
}

function notComparedWords(found: ShownFinding<AdvisoriesValue>): Words | undefined {
  const { not_compared } = found.value;
  if (not_compared.length === 0) return undefined;
  const these = own(not_compared.length === 1 ? 'this is' : 'these are');
  const version =
    readDetails(found).version === null ? own('the version that callers get') : versionWords(found);
  return say`; Dossier could not decide whether ${these} about ${version}: ${codes(not_compared)}`;
}

function sayAll(found: ShownFinding<AdvisoriesValue>): Words {
  const { count: all } = found.value;
  const named = namedWords(found.value, readDetails(found).advisories, 'all', mostInFull);
  const said = all === 0 ? own('none') : say`${all}: ${named}`;
  const gone = withdrawnWords(readDetails(found).withdrawn);
  return say`${said}${othersWords(found, mostInFull, 'all')}${notComparedWords(found)}${gone && say`; ${gone}`}`;
}

function sayInLine(found: ShownFinding<AdvisoriesValue>): Words {
  const { count: all, not_compared } = found.value;
  const others = othersWords(found, mostInLine, 'versions');
  const open = not_compared.length > 0 && say`; ${not_compared.length} not compared`;
  const { version, is_absent } = readDetails(found);
  if (all > 0 || !is_absent)
    return say`${count(all, 'advisory')} about ${versionWords(found)}${inCopy(found)}${others}${open}`;
  const what = version ? versionWords(found) : own('it');
  return say`malware reports and advisories${inCopy(found)}: not known, because its registry does not have ${what}${others}${open}`;
}

const malwareIn = (ids: readonly string[] = []) => ids.filter(isMalware);
const counted = (ids: readonly string[]) => ({ count: ids.length, ids });

const undecidedWords = (found: Pick<ShownFinding, 'details'>): Words =>
  readDetails(found).version === null
    ? own('Dossier does not know which version callers get')
    : say`Dossier could not decide whether ${versionWords(found)} is one of them`;

function sayOtherMalware({ value: seen, by, ...found }: StandingOut<AdvisoriesValue>): Words | undefined {
  const { others } = readDetails(found);
  const ofOthers = malwareIn(seen.others?.ids);
  const open = malwareIn(seen.not_compared);
  const what = packageOf(found.subject);
  const versions = namedWords(counted(ofOthers), others, 'versions', ofOthers.length);
  const some = say`${osvWords(found)} lists some versions of ${what}, but not ${versionWords(found)}, as malicious code (${versions})${by}`;
  const undecided = say`${osvWords(found)} lists versions of ${what} as malicious code in ${codes(open)}${by}; ${undecidedWords(found)}`;
  const words = join([ofOthers.length > 0 && some, open.length > 0 && undecided], '; ');
  return isEmpty(words) ? undefined : words;
}

function sayStandsOut(found: StandingOut<AdvisoriesValue>): Words | undefined {
  const { value: seen, subject, rule, by } = found;
  const what = say`${versionWords(found)} of ${packageOf(subject)}`;
  const { advisories } = readDetails(found);
  const malware = malwareIn(seen.ids);
  if (rule === 'other_malware') return sayOtherMalware(found);
  if (rule === 'malware')
    return malware.length === 0
      ? undefined
      : say`${osvWords(found)} lists ${what} as malicious code: ${namedWords(counted(malware), advisories, 'summary', malware.length)}${by}`;
  const rest = { count: seen.count - malware.length, ids: seen.ids.filter((id) => !isMalware(id)) };
  return rest.count === 0
    ? undefined
    : say`${count(rest.count, 'advisory')} about ${what}${inCopy(found)}: ${namedWords(rest, advisories, 'summary', mostInLine)}${by}`;
}

export const packageAdvisories = defineKind({
  kind: 'package.advisories',
  name: 'malware reports and advisories',
  unchecked: {
    what: own('whether advisories name the recorded version of the package'),
    isAsked: ({ packages }) => packages.length > 0,
  },
  value,
  say: sayAll,
  saidIn: 'kept_up',
  sayInLine,
  standsOutAs: ['malware', 'other_malware', 'advisories'],
  sayStandsOut,
  sayChange: (was, now, between) => {
    const gone = withdrawnWords(readDetails(now).withdrawn, idsIn(was.value ?? undefined));
    return gone && say`About the package (${between}): ${gone}`;
  },
  question: 'code',
  title: 'Advisories about the package',
  means:
    'How many advisories in OSV are about the recorded version of the package, and how many only about other versions. Advisories that Dossier could not compare with the recorded version are listed apart.',
  doesNotMean: 'An empty list does not mean that anybody looked for a fault. Dependencies are not checked.',
  method_version: 'advisories/3',
  ...ofPackages(osvRegistries, advisoriesOf),
});

export function reportedMalware({ ids, not_compared }: AdvisoriesValue): 'yes' | 'no' | 'unknown' {
  if (ids.some(isMalware)) return 'yes';
  return not_compared.some(isMalware) ? 'unknown' : 'no';
}

/** Of any version. */
export function sayReported(found: SeenAdvisories): Words | undefined {
  const all = malwareIn(idsIn(found.value));
  const { advisories, others: held } = readDetails(found);
  const named = namedWords(counted(all), [...advisories, ...held], 'versions', all.length);
  return all.length === 0
    ? undefined
    : say`${osvWords(found)} lists versions of ${packageOf(found.subject)} as malicious code (${named})`;
}

type SeenAdvisories = ShownFinding<AdvisoriesValue> & Pick<Observation, 'subject'>;

type SaidOfVersion = Partial<
  Record<'malware' | 'about' | 'none', Words> & Record<'isReported' | 'isListed', boolean>
>;

export function sayOfVersion(found: SeenAdvisories, version: string): SaidOfVersion {
  const ecosystem = ecosystemOf(found.subject?.split(':')[0] ?? '');
  if (ecosystem === undefined) return {};
  const { advisories, others } = readDetails(found);
  const held = malwareFirst([...advisories, ...others]);
  const idsAbout = (wanted: ReturnType<typeof affects>) =>
    idsOf(held.filter((one) => affects(one, version, ecosystem) === wanted));
  const about = idsAbout('yes');
  const malware = malwareIn(about);
  const rest = about.filter((id) => !isMalware(id));
  const { count: all, not_compared, others: other } = found.value;
  const isWhole = other !== undefined && held.length >= all + other.count + not_compared.length;
  const heldIds = new Set(idsOf(held));
  const cut = idsIn(found.value).filter((id) => !heldIds.has(id));
  const open = malwareIn([...idsAbout('unknown'), ...cut]);
  const what = say`version ${code(version)} of ${packageOf(found.subject)}`;
  const named = (some: readonly string[], most: number) => namedWords(counted(some), held, 'summary', most);
  const but =
    readDetails(found).is_absent &&
    say`; ${registryOf(found.subject ?? '').registry} does not have the recorded version`;
  const isNone = isWhole && about.length + idsAbout('unknown').length === 0;
  const none = isNone
    ? say`${osvWords(found)} lists no advisory about ${what}${but}`
    : say`Dossier cannot tell whether ${osvWords(found)} lists an advisory about ${what}`;
  const some = say`${!isWhole && own('at least ')}${count(rest.length, 'advisory')} about ${what}${inCopy(found)}: ${named(rest, mostInLine)}`;
  const undecided = say`${osvWords(found)} lists versions of ${packageOf(found.subject)} as malicious code in ${codes(open)}; Dossier could not decide whether version ${code(version)} is one of them`;
  return {
    ...(malware.length > 0 && {
      malware: say`${osvWords(found)} lists ${what} as malicious code: ${named(malware, malware.length)}`,
    }),
    ...(malware.length === 0 && open.length > 0 && { malware: undecided }),
    ...(rest.length > 0 && { about: some }),
    ...(about.length === 0 && { none }),
    /** Undefined unless a report is about it, or OSV was read whole; `isListed`: of any advisory. */
    isReported: malware.length > 0 ? true : isWhole && open.length === 0 ? false : undefined,
    isListed: about.length > 0 ? true : isNone ? false : undefined,
  };
}
