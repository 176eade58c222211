import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { asMembers } from '../../../../core/json.ts';
import { dayText } from '../../../../core/text.ts';
import { code, dayOf, join, listed, own, say, source, type Words } from '../../../../core/words.ts';
import type { OfVersion } from '../../../asked/published/document.ts';
import { registryOf } from '../../../asked/published/recorded.ts';
import type { FactOf, Kind, StandingOut } from '../../kind.ts';
import type { Observation } from '../../observation.ts';
import { readKept } from './kept-versions.ts';
import { packageDeprecated, type packageExists } from './packages.ts';
import { lostProvenance, packageProvenance } from './provenance.ts';
import { packageLicence } from './says.ts';
import { packagePublishedBy, packageScripts } from './versions.ts';

interface ToldOfVersion {
  readonly kind: Pick<Kind, 'question' | 'sayStandsOut'>;
  readonly rule?: 'package_deprecated' | 'package_version';
  /** If it is no such finding. */
  readonly key?: 'other_version';
  /** Not on every registry. */
  readonly topic: (subject: string) => Words | false;
  /** If nothing of it is a finding. */
  readonly plain?: (value: unknown) => Words;
}

const onNpm = (words: Words) => (subject: string) => subject.startsWith('npm:') && words;

/** What decides of a version, the weightiest first. Its kind tells it as of the recorded version. */
const told: Readonly<Record<Exclude<keyof OfVersion, 'version'>, ToldOfVersion>> = {
  deprecated: {
    kind: packageDeprecated,
    rule: 'package_deprecated',
    topic(subject) {
      const { registry, withdrawn } = registryOf(subject);
      return say`whether ${registry} marks it as ${withdrawn}`;
    },
  },
  install_scripts: {
    kind: packageScripts,
    topic: onNpm(own('its installation scripts')),
    plain: () => own('names no script that npm runs at installation'),
  },
  published_by: {
    kind: packagePublishedBy,
    topic: onNpm(own('its publisher')),
    plain: (value) => say`was published by ${code(String(value))}`,
  },
  attested: {
    kind: {
      question: packageProvenance.question,
      sayStandsOut: ({ value, ...of }) =>
        value === false ? lostProvenance(of, asMembers(of.details?.before).version) : undefined,
    },
    topic: (subject) => /^(?:npm|pypi):/.test(subject) && own('its provenance'),
    plain: (value) =>
      own(value ? 'has provenance, whose signature Dossier did not check' : 'has no provenance'),
  },
  licence: {
    kind: packageLicence,
    key: 'other_version',
    topic: () => own('its licence'),
  },
};
const toldNames = Object.keys(told) as readonly (keyof typeof told)[];

/** Of a version that is not the checked one. */
export function sayOtherVersion(
  { value: checked, as_seen }: Pick<FactOf<typeof packageExists>, 'value' | 'as_seen'>,
  { subject, version, by }: { readonly subject: string; readonly version: string; readonly by: Words },
) {
  const { versions = [], order } = readKept({ subject, as_seen }) ?? {};
  const placeOf = (wanted = '') =>
    order?.isVersion(wanted) ? versions.findIndex((one) => order.compare(one.version, wanted) === 0) : -1;
  const place = placeOf(version);
  const baseVersion = checked && 'version' in checked ? checked.version : undefined;
  const basePlace = placeOf(baseVersion);
  const stated = versions[place]?.stated ?? {};
  const base = versions[basePlace];
  /** Another account of an earlier version says nothing, nor does one that published before. */
  const isOfKnown = (value: unknown) =>
    place > basePlace || versions.slice(basePlace).some((one) => one.stated.published_by === value);
  const unnoticed: Words[] = [];
  const notices = toldNames.flatMap((name) => {
    const { kind, rule = 'package_version', key, plain }: ToldOfVersion = told[name];
    const value = stated[name];
    if (value == null) return [];
    const was = base?.stated[name];
    const isOther = was != null && !isDeepStrictEqual(was, value);
    const isCompared = isOther && !(name === 'published_by' && isOfKnown(value));
    const before = isCompared && { before: { version: base?.version, value: was, is_recorded: true } };
    const text = kind.sayStandsOut?.({
      subject,
      value: value as StandingOut['value'],
      rule,
      by,
      reason: undefined,
      isOnly: true,
      details: { version, ...before },
    });
    if (!text && plain) unnoticed.push(plain(value));
    return text ? [{ key: key ?? rule, text, question: kind.question }] : [];
  });
  const topics = toldNames.map((name) => stated[name] === undefined && told[name].topic(subject));
  const unread = join(topics, ', ');
  return {
    notices,
    isDeprecated: (stated.deprecated as OfVersion['deprecated'])?.deprecated,
    ...(unnoticed.length > 0 && {
      plain: say`Version ${code(version)} of ${code(subject)} ${listed(unnoticed)}${by}.`,
    }),
    ...(topics.some(Boolean) && { unread: say`Not known of version ${code(version)}: ${unread}.` }),
  };
}

/** Of a package whose registry tells no newest version, or that it does not have. */
export const sayNoNewest = ({
  outcome,
  subject = '',
  observed_at = '',
}: Partial<Pick<Observation, 'outcome' | 'subject' | 'observed_at'>> = {}): Words =>
  outcome === 'absent'
    ? say`the newest version of a package that ${registryOf(subject).registry} did not have on ${dayOf(observed_at)}`
    : own('the version that is the newest when it starts, which Dossier does not know');

export type CheckedPackage = Pick<
  Observation,
  'kind' | 'subject' | 'value' | 'outcome' | 'observed_at' | 'details' | 'as_seen'
> &
  Partial<Pick<Observation, 'changed_from'>>;

const imageSeen = z.looseObject({ digest: z.string() });

/** Whether the image asked for is the recorded one: tags can be moved, and checks read only the recorded. */
export function imageWords(asked: string, recorded: string, fact: CheckedPackage | undefined) {
  const isDigest = asked.startsWith('sha256:');
  if (/sha256:/.test(recorded))
    return own(
      isDigest ? ', another image' : ', which is not known to be the same image, because a tag can be moved',
    );
  const { data: seen } = imageSeen.safeParse(fact?.value);
  if (!fact || !seen || !isDigest) return undefined;
  const by = source('Dossier', dayText(fact.observed_at ?? ''));
  if (seen.digest === asked) return say`, which was this image${by}`;
  const { value, seen_until = '' } = fact.changed_from ?? {};
  const before = imageSeen.safeParse(value).data?.digest === asked;
  const until = before && say`; until ${dayOf(seen_until)} it was the one that you asked about`;
  return say`, which was another image, ${code(seen.digest)}${by}${until}`;
}
