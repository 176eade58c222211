import type { z } from 'zod';
import type { PinName } from '../../config/files.ts';
import type { Json } from '../../core/json.ts';
import type { Words } from '../../core/words.ts';
import type { Listing } from '../../listings/listing.ts';
import type { Moves } from '../../listings/version-moves.ts';
import type { SurfaceName } from '../asked/endpoint/surface.ts';
import type { CheckedListing, CheckRun, RecordedSubject } from '../asked/run.ts';
import type { Finding, Observation, Question } from './observation.ts';

export type ShownFinding<Value = Json> = Pick<
  Observation,
  'subject' | 'value_digest' | 'details' | 'as_seen'
> & {
  readonly value: Value;
};

type StandsOutAs =
  | 'malware'
  | 'other_malware'
  | 'package_deprecated'
  | 'superseded'
  | 'not_there'
  | 'contradiction'
  | 'hidden_text'
  | 'credential_files'
  | 'package_version'
  | 'advisories';

/** If `isOnly` is set, the words need not name the endpoint. */
export type StandingOut<Value = Json> = ShownFinding<Value> &
  Pick<Observation, 'subject' | 'reason'> & {
    readonly rule: StandsOutAs;
    readonly by: Words;
    readonly isOnly: boolean;
  };

export type BeforeChange<Value = Json> = Omit<
  NonNullable<Observation['changed_from']>,
  'value' | 'seen_from'
> &
  Pick<Observation, 'details'> & { readonly value: Value | null };

/** A copy of a registry may leave these fields out of every record. */
type LackingField = 'endpoint' | 'package' | 'repository';

export interface AskedKind {
  readonly kind: string;
  readonly question: Question;
  /** In lists of absent or unknown facts; by default the title. */
  readonly name?: string;
  readonly line?: 'whose' | 'where' | 'asks' | 'tools' | 'costs' | 'kept_up' | 'rated';
  /** The question cannot be answered if this recorded repository or package does not exist. */
  readonly restsOn?: 'repository' | 'package';
  /** Hardly any listing has such a fact, so only answers in full detail state that it is absent. */
  readonly isSeldom?: true;
  /** A change without a sentence of `sayChange` is not published. */
  readonly isPublishedIfSaid?: true;
  /** As long as nothing else is known about the question. */
  readonly unstated?: {
    /** Follows `has no field that states`. */
    readonly what: Words;
    /** By default, the question is asked about every listing. */
    readonly isAsked?: (listing: Listing) => boolean;
    readonly fields?: RegExp;
    readonly copyField?: LackingField;
    /** If a copy left one out, the answer is not known for a listing without endpoints. */
    readonly standsWith?: readonly LackingField[];
    readonly name?: Words;
    /** Where Dossier reads what a publisher states of it; it reads no other place. */
    readonly readIn?: Words;
  };
  /**
   * `what` follows `has not checked`. `isElsewhere`: it is stated where Dossier does not look. `isOfAll`:
   * checked of no listing, and told in full only.
   */
  readonly unchecked?: {
    readonly what: Words;
    readonly isAsked?: (listing: Listing) => boolean;
    readonly isElsewhere?: true;
    readonly isOfAll?: true;
  };
}

export interface Difference {
  readonly items: readonly object[];
  readonly counts: Readonly<Record<string, number>>;
  /** The weightiest first; by default `items`. */
  readonly shown?: readonly object[];
}

/** Two with equal members are the same; `mayShrink`: also one without some of them. */
export interface ValuePart {
  readonly members: readonly string[];
  readonly mayShrink?: true;
  readonly words?: Words;
}

interface Says<Value extends Json = Json> {
  /** The gate (gate.ts) refuses any other value except null. */
  readonly value: z.ZodType<Value>;
  readonly say: (found: ShownFinding<Value>) => Words | undefined;
  readonly sayInLine?: (found: ShownFinding<Value>) => Words | undefined;
  /** Of a value that is gone; by default `say`. */
  readonly sayWas?: (found: ShownFinding<Value>) => Words | undefined;
  readonly sayStandsOut?: (found: StandingOut<Value>) => Words | undefined;
  /** `between` names the days of the change. */
  readonly sayChange?: (
    was: BeforeChange<Value>,
    now: ShownFinding<Value>,
    between: Words,
  ) => Words | undefined;
  /** Tells the end of a value whose beginning is told after `absent` too. */
  readonly ended?: Words;
  /** A lighter change does not hide an earlier one. By default, only the last one is told. */
  readonly weighChange?: (was: BeforeChange<Value>, now: ShownFinding<Value>) => number;
  /** Of two whole values (Finding.whole), the weightiest items first; read as `was.difference`. */
  readonly difference?: (was: Json, is: Json) => Difference;
  /** What of a value may stay the same when other parts of it change, by name. */
  readonly partsOf?: (found: ShownFinding<Value>) => Readonly<Record<string, ValuePart>> | undefined;
  /** A history shows the sentence of `sayChange`, which says more than the two values. */
  readonly isToldByChange?: true;
}

export interface FactKind extends AskedKind, Says {
  /** A fact of origin `record` is shown among the imported signals. */
  readonly origin: 'check' | 'record';
  /** A check gets a new version when the meaning of its facts changes. */
  readonly method_version: string;
  readonly title: string;
  readonly means: string;
  readonly doesNotMean: string;
  readonly unit?: string;
  /** In the present tense without a full stop; dates follow. */
  readonly changed?: Words;
  /** With the rule `not_there`, an absent fact stands out too. */
  readonly standsOutAs?: StandsOutAs | readonly StandsOutAs[];
  /** The line that says its values by `sayInLine`. */
  readonly saidIn?: 'whose' | 'where' | 'tools' | 'kept_up';
  /** A further question of buyers (kinds/questions.ts). */
  readonly answers?: 'price' | 'auth' | 'licence';
  readonly existsAs?: 'repository' | 'package' | 'endpoint';
  /** In entries of the registry API, which omit kinds without it. */
  readonly entryName?: string;
  /** An approval fixes the value by this pin. */
  readonly pinnedAs?: PinName;
  /** Callers rely on it, so a lock file holds it. */
  readonly isLocked?: true;
  /** Without a value; by default the title. */
  readonly topic?: Words;
}

export interface Kind extends FactKind {
  readonly origin: 'check';
  readonly about: (listing: CheckedListing) => readonly RecordedSubject[];
  /** A missing fact of any other kind is shown as `not_asked`. */
  readonly isOptional?: true;
  /** The value is the digest of this list, and the details have names from it. */
  readonly lists?: SurfaceName;
  /** A list of tools has its own room (gate.ts). */
  readonly isList?: true;
  /** Each counted check changes the facts of this kind, so these changes are not recorded. */
  readonly isTally?: true;
  readonly check?: (run: CheckRun) => Promise<readonly Finding[]>;
}

export interface RecordedContext {
  readonly listing: Listing;
  readonly unread: readonly string[];
  readonly versions: number;
  readonly lastPublished: string;
  readonly moves?: Moves | undefined;
}

export interface RecordKind extends FactKind {
  readonly origin: 'record';
  /** Null if the record states no value, undefined if there is no such fact. */
  readonly stated?: (recorded: RecordedContext) => Json | undefined;
  /** If the copy has no such field, that is the reason why there is no value. */
  readonly readFrom?: readonly LackingField[];
  readonly follows?: 'all versions' | 'newest version';
  readonly isDate?: true;
  readonly isDerived?: true;
}

type Fixed<T> = T extends readonly (infer One)[]
  ? readonly Fixed<One>[]
  : T extends object
    ? { readonly [Name in keyof T]: Fixed<T[Name]> }
    : T;

type Definition<Of extends FactKind, Name extends string, Value extends Json> = Omit<
  Of,
  keyof Says<Value> | 'kind' | 'origin'
> &
  Says<Value> & { readonly kind: Name };

export type NamedKind = Pick<FactKind, 'kind' | 'origin' | 'value'>;

export type KindValue<K extends NamedKind> = z.infer<K['value']>;

export type FactOf<K extends NamedKind, Fact = Observation> = Omit<Fact, 'value'> & {
  readonly value: KindValue<K> | null;
};

export const factsOf = <K extends NamedKind, Fact extends Pick<Observation, 'kind' | 'value'>>(
  { kind, value }: K,
  facts: readonly Fact[],
): FactOf<K, Fact>[] =>
  facts
    .filter((one) => one.kind === kind && (one.value === null || value.safeParse(one.value).success))
    .map((one) => one as FactOf<K, Fact>);

function sayOfAny<Value extends Json>(said: Says<Value>) {
  const { value: schema, say, sayInLine, sayWas, sayStandsOut, sayChange, weighChange, partsOf } = said;
  const read = (value: unknown) => schema.safeParse(value).data;
  const ofRead =
    <Found extends ShownFinding, Said = Words>(
      words: (found: Omit<Found, 'value'> & { value: Value }) => Said | undefined,
    ) =>
    (found: Found) => {
      const value = read(found.value);
      return value === undefined ? undefined : words({ ...found, value });
    };
  const ofChange =
    <Result, More extends unknown[]>(
      tell: (was: BeforeChange<Value>, now: ShownFinding<Value>, ...more: More) => Result,
    ) =>
    (was: BeforeChange, now: ShownFinding, ...more: More) => {
      const value = read(now.value);
      const before = { ...was, value: read(was.value) ?? null };
      return value === undefined ? undefined : tell(before, { ...now, value }, ...more);
    };
  return {
    say: ofRead(say),
    sayInLine: sayInLine && ofRead(sayInLine),
    sayWas: sayWas && ofRead(sayWas),
    sayStandsOut: sayStandsOut && ofRead<StandingOut>(sayStandsOut),
    sayChange: sayChange && ofChange(sayChange),
    partsOf: partsOf && ofRead<ShownFinding, Readonly<Record<string, ValuePart>>>(partsOf),
    weighChange:
      weighChange && ((was: BeforeChange, now: ShownFinding) => ofChange(weighChange)(was, now) ?? 0),
  };
}

export const defineKind = <const Name extends string, Value extends Json>(
  definition: Omit<Definition<Kind, Name, Value>, 'check'> & {
    readonly check?: (run: CheckRun) => Promise<readonly Finding<Fixed<NoInfer<Value>>>[]>;
  },
) => ({ ...definition, ...sayOfAny(definition), origin: 'check' as const }) satisfies Kind;

export const defineRecord = <const Name extends string, Value extends Json>(
  definition: Omit<Definition<RecordKind, Name, Value>, 'method_version' | 'stated'> & {
    readonly stated?: (recorded: RecordedContext) => Value | null | undefined;
  },
) =>
  ({
    ...definition,
    ...sayOfAny(definition),
    origin: 'record' as const,
    method_version: 'import/1',
  }) satisfies RecordKind;
