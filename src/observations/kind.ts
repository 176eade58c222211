import type { z } from 'zod';
import type { PinName } from '../config/files.ts';
import type { Json } from '../core/json.ts';
import type { Words } from '../core/words.ts';
import type { Listing } from '../listings/listing.ts';
import type { Moves } from '../listings/moves.ts';
import type { SurfaceName } from './endpoint/surface.ts';
import type { Finding, Observation, Question, RecordedSubject } from './observation.ts';
import type { CheckedListing, CheckRun } from './run.ts';

/** What of a finding is shown in words. */
export type ShownFinding<Value = Json> = Pick<Observation, 'value_digest' | 'details' | 'as_seen'> & {
  readonly value: Value;
};

/** The lines of the answer about a listing that are made of facts. */
type Line = 'whose' | 'where' | 'asks' | 'tools' | 'costs' | 'kept_up' | 'rated';

/** The rules by which facts of kinds stand out of a listing (document/answers/stands-out.ts). */
type StandsOutAs =
  | 'malware'
  | 'other_malware'
  | 'deprecated'
  | 'superseded'
  | 'not_there'
  | 'contradiction'
  | 'hidden_text'
  | 'credential_files'
  | 'package_version'
  | 'advisories';

/**
 * A value that may stand out by a rule: `by` names its source, and `isOnly` says that the listing has one
 * endpoint at most.
 */
export type StandingOut<Value = Json> = ShownFinding<Value> &
  Pick<Observation, 'subject' | 'reason'> & {
    readonly rule: StandsOutAs;
    readonly by: Words;
    readonly isOnly: boolean;
  };

/** What was seen of a fact before its last change; null where none was. */
export type BeforeChange<Value = Json> = Omit<NonNullable<Observation['changed_from']>, 'value'> & {
  readonly value: Value | null;
};

/** What a copy of a registry may record of no listing. */
type LackingField = 'endpoint' | 'package' | 'repository';

/** What buyers ask, whether a fact answers it or not. */
export interface AskedKind {
  /** Dotted name, as `endpoint.answers`. */
  readonly kind: string;
  /** The buyer's question that it helps to answer. */
  readonly question: Question;
  /** Its name in a word or two, for lists of what is not there or not known; absent: its title. */
  readonly name?: string;
  /** The line that says it, and what is not known of it. */
  readonly line?: Line;
  /** It is not known where this is not there. */
  readonly restsOn?: 'repository' | 'package';
  /** Hardly any listing has it: that one has none decides nothing, and is said in full only. */
  readonly isSeldom?: true;
  /** Whether a change of it is published only if `sayChange` says one: its history has the others. */
  readonly isPublishedIfSaid?: true;
  /** That the record does not state it, while nothing else is known of it. */
  readonly unstated?: {
    /** In words that follow `has no field that states`. */
    readonly what: Words;
    /** Absent if it is asked of every listing. */
    readonly isAsked?: (listing: Listing) => boolean;
    /** Words in the names of fields of the record that may state it. */
    readonly fields?: RegExp;
    /** The field that states it. */
    readonly copyField?: LackingField;
    /** The fields that it stands with. */
    readonly standsWith?: readonly LackingField[];
    /** Its name where the record does not state it. */
    readonly name?: Words;
  };
  /** That it was not checked, while nothing is known of it; `what` in words that follow `has not checked`. */
  readonly unchecked?: { readonly what: Words; readonly isAsked?: (listing: Listing) => boolean };
}

/** What a kind says of its values. */
interface Says<Value extends Json = Json> {
  /** The value as it is stored and compared; a finding with another one does not pass the gate (gate.ts). */
  readonly value: z.ZodType<Value>;
  /** A value in words. */
  readonly say: (found: ShownFinding<Value>) => Words | undefined;
  /** The same in a few words, for a line. */
  readonly sayInLine?: (found: ShownFinding<Value>) => Words | undefined;
  /** A value that stands out, in words; undefined of any other. */
  readonly sayStandsOut?: (found: StandingOut<Value>) => Words | undefined;
  /** What became of a value, with `between` which days; undefined if that needs no sentence. */
  readonly sayChange?: (
    was: BeforeChange<Value>,
    now: ShownFinding<Value>,
    between: Words,
  ) => Words | undefined;
  /**
   * How much such a change weighs among those of one fact; a later change that weighs less does not hide it.
   * Absent: only the last is said.
   */
  readonly weighChange?: (was: BeforeChange<Value>, now: ShownFinding<Value>) => number;
}

/**
 * What every kind of fact says about itself, whether Dossier checks it or the record of a listing states it.
 */
export interface FactKind extends AskedKind, Says {
  /** Whether a check of Dossier sees it, or the record of a listing states it: an imported signal. */
  readonly origin: 'check' | 'record';
  /** Changes when the check, and with it the meaning of the fact, changes. */
  readonly method_version: string;
  /** Its name in plain words. */
  readonly title: string;
  /** What it means, one sentence. */
  readonly means: string;
  /** What must not be concluded from it, one sentence. */
  readonly doesNotMean: string;
  readonly unit?: string;
  /**
   * What a change means, in the present tense and without a full stop, as "It lists other tools"; its date is
   * added.
   */
  readonly changed?: Words;
  /** The rules by which its values stand out; by `not_there`, that it is absent stands out too. */
  readonly standsOutAs?: StandsOutAs | readonly StandsOutAs[];
  /** The line that says its values (`sayInLine`). Rules of the line itself say those of any other kind. */
  readonly saidIn?: 'whose' | 'where' | 'tools' | 'kept_up';
  /** What else buyers ask that it answers (kinds/questions.ts). */
  readonly answers?: 'price' | 'auth' | 'licence';
  /** It says whether something recorded is there: `repository`, `package` or `endpoint`. */
  readonly existsAs?: 'repository' | 'package' | 'endpoint';
  /** What a value of it says about prices, as one sentence: the endpoint or somebody else names an amount. */
  readonly priced?: Words;
  /** What a value of it says of a payment whose amount it does not name, as one sentence. */
  readonly paid?: Words;
  /** Hosts can decide by it: its name in entries of the registry API; everything else is in the document. */
  readonly entryName?: string;
  /** The pin of an approval that holds it fast. */
  readonly pinnedAs?: PinName;
  /** Callers of the service rely on it, so that a lock file holds it. */
  readonly isLocked?: true;
  /** What it is about, in words that state no value, where its title would state one. */
  readonly topic?: Words;
}

/**
 * One kind of fact that Dossier checks, defined once: every adapter is a loop over the list of kinds
 * (kinds.ts).
 */
export interface Kind extends FactKind {
  readonly origin: 'check';
  /** What of a listing's record its facts are about; none if the kind does not apply to the listing. */
  readonly about: (listing: CheckedListing) => readonly RecordedSubject[];
  /** Whether it may be absent without a word; any other is `not_asked` until it was looked for. */
  readonly isOptional?: true;
  /** Its value is the digest of this list of an endpoint; its details have the names of the list. */
  readonly lists?: SurfaceName;
  /** Its details are a list of tools, which has room of its own. */
  readonly isList?: true;
  /** Every check changes its facts, so that no change of them is recorded. */
  readonly isTally?: true;
  /** Finds the facts of one listing; none if the kind does not apply to it. */
  readonly check?: (run: CheckRun) => Promise<readonly Finding[]>;
}

/** What kinds of the record read: a listing, and what is stored of its versions. */
export interface RecordedContext {
  readonly listing: Listing;
  /** The publisher's server.json of the version that is shown. */
  readonly server: object;
  /** How many versions are stored, deleted ones included. */
  readonly versions: number;
  /** When the newest of them was published. */
  readonly lastPublished: string;
  /** What they moved; undefined if there are not two to compare. */
  readonly moves?: Moves | undefined;
}

/** One kind of fact that the record of a listing states. */
export interface RecordKind extends FactKind {
  readonly origin: 'record';
  /**
   * What a record states; null if none, undefined if there is no such fact. Absent if it follows from other
   * listings.
   */
  readonly stated?: (recorded: RecordedContext) => Json | undefined;
  /** The outcome where it states none, if that is not `nothing`. */
  readonly outcomeOfNone?: 'not_asked';
  /** It follows from the versions that a source sends: from all of them, or from the newest. */
  readonly follows?: 'all versions' | 'newest version';
  /** It is a date of the registry, which some registries do not state. */
  readonly isDate?: true;
}

/** A value whose lists a check does not change. */
type Fixed<T> = T extends readonly (infer One)[]
  ? readonly Fixed<One>[]
  : T extends object
    ? { readonly [Name in keyof T]: Fixed<T[Name]> }
    : T;

/** A kind as it is defined. */
type Definition<Of extends FactKind, Name extends string, Value extends Json> = Omit<
  Of,
  keyof Says<Value> | 'kind' | 'origin'
> &
  Says<Value> & { readonly kind: Name };

/** A kind as rules name it: it says which values its facts have. */
export type NamedKind = Pick<FactKind, 'kind' | 'origin' | 'value'>;

/** The values of a kind. */
export type KindValue<K extends NamedKind> = z.infer<K['value']>;

/** A fact of a kind, whose value is null where none was seen. */
export type FactOf<K extends NamedKind, Fact = Observation> = Omit<Fact, 'value'> & {
  readonly value: KindValue<K> | null;
};

/**
 * The facts of a kind among some. One with a value that the kind does not have is left out: nothing is known
 * of it.
 */
export const factsOf = <K extends NamedKind, Fact extends Pick<Observation, 'kind' | 'value'>>(
  { kind, value }: K,
  facts: readonly Fact[],
): FactOf<K, Fact>[] =>
  facts
    .filter((one) => one.kind === kind && (one.value === null || value.safeParse(one.value).success))
    .map((one) => one as FactOf<K, Fact>);

/** What is said of any value: of one that is none of the kind, nothing. */
function sayOfAny<Value extends Json>(said: Says<Value>) {
  const { value: schema, say, sayInLine, sayStandsOut, sayChange, weighChange } = said;
  const read = (value: unknown) => schema.safeParse(value).data;
  const ofRead =
    <Found extends ShownFinding>(
      words: (found: Omit<Found, 'value'> & { value: Value }) => Words | undefined,
    ) =>
    (found: Found) => {
      const value = read(found.value);
      return value === undefined ? undefined : words({ ...found, value });
    };
  return {
    say: ofRead(say),
    sayInLine: sayInLine && ofRead(sayInLine),
    sayStandsOut: sayStandsOut && ofRead<StandingOut>(sayStandsOut),
    sayChange:
      sayChange &&
      ((was: BeforeChange, now: ShownFinding, between: Words) => {
        const value = read(now.value);
        const before = { ...was, value: read(was.value) ?? null };
        return value === undefined ? undefined : sayChange(before, { ...now, value }, between);
      }),
    weighChange:
      weighChange &&
      ((was: BeforeChange, now: ShownFinding) => {
        const value = read(now.value);
        const before = { ...was, value: read(was.value) ?? null };
        return value === undefined ? 0 : weighChange(before, { ...now, value });
      }),
  };
}

/** Defines a kind of fact that Dossier checks. */
export const defineKind = <const Name extends string, Value extends Json>(
  definition: Omit<Definition<Kind, Name, Value>, 'check'> & {
    readonly check?: (run: CheckRun) => Promise<readonly Finding<Fixed<NoInfer<Value>>>[]>;
  },
) => ({ ...definition, ...sayOfAny(definition), origin: 'check' as const }) satisfies Kind;

/** Defines a kind of fact that the record of a listing states. */
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
