import type { z } from 'zod';
import type { PinName } from '../config/files.ts';
import type { Words } from '../core/words.ts';
import type { Finding, Json, Observation, Question, RecordedSubject } from './observation.ts';
import type { Run, Subject } from './run.ts';

/** What of a finding is shown in words. */
export type ShownFinding<Value = Json> = Pick<Observation, 'details' | 'as_seen'> & {
  readonly value: Value;
};

/** The lines of the answer about a listing that are made of facts. */
type Line = 'whose' | 'where' | 'asks' | 'tools' | 'costs' | 'kept_up';

/** What was seen of a fact before its last change; null where none was. */
type Before<Value = Json> = Omit<NonNullable<Observation['changed_from']>, 'value'> & {
  readonly value: Value | null;
};

/** What every kind of fact says about itself, whether Dossier checks it or the record of a listing states it. */
export interface FactKind {
  /** Dotted name, as `endpoint.answers`. */
  readonly kind: string;
  /** The buyer's question that it helps to answer. */
  readonly question: Question;
  /** Its name in plain words. */
  readonly title: string;
  /** What it means, one sentence. */
  readonly means: string;
  /** What must not be concluded from it, one sentence. */
  readonly doesNotMean: string;
  readonly unit?: string;
  /** What a change means, in the present tense and without a full stop, as "It lists other tools"; its date is added. */
  readonly changed?: Words;
  /** A value that is observed, in words, where the value itself says little to people, as a digest. */
  readonly say?: (found: ShownFinding) => Words | undefined;
  /** The value as it is stored and compared; a finding with another one does not pass the gate (gate.ts). */
  readonly value?: z.ZodType<Json>;
  /** What became of a value, with `between` which days; undefined if that needs no sentence. */
  readonly sayChange?: (was: Before, now: ShownFinding, between: Words) => Words | undefined;
  /** A value in a few words, for the line about upkeep. */
  readonly sayBriefly?: (found: ShownFinding) => Words | undefined;
  /** Its name in a word or two, for lists of what is not there or not known; absent: its title. */
  readonly name?: string;
  /** The line that says it, and what is not known of it. */
  readonly line?: Line;
  /** Hardly any listing has it: that one has none decides nothing, and is said in full only. */
  readonly isSeldom?: true;
  /** It says whether something recorded is there: `repository`, `package` or `endpoint`. */
  readonly existsAs?: 'repository' | 'package' | 'endpoint';
  /** What a value of it says about prices, as one sentence: the endpoint or somebody else names an amount. */
  readonly priced?: string;
  /** Hosts can decide by it: its name in entries of the registry API. Everything else is in the document. */
  readonly sharedAs?: string;
  /** The pin of an approval that holds it fast. */
  readonly pinnedAs?: PinName;
  /** Callers of the service rely on it, so that a lock file holds it. */
  readonly isLocked?: true;
}

/** One kind of fact that Dossier checks, defined once: every adapter is a loop over the list of kinds (kinds.ts). */
export interface Kind extends FactKind {
  readonly value: z.ZodType<Json>;
  /** Changes when the check, and with it the meaning of the fact, changes. */
  readonly method_version: string;
  /** What of a listing's record its facts are about; none if the kind does not apply to the listing. */
  readonly about: (listing: Subject) => readonly RecordedSubject[];
  /** Whether it may be absent without a word; any other is `not_asked` until it was looked for. */
  readonly isOptional?: true;
  /** Its details are a list of tools, which has room of its own. */
  readonly isList?: true;
  /** Every check changes its facts, so that no change of them is recorded. */
  readonly isTally?: true;
  /** Finds the facts of one listing; none if the kind does not apply to it. */
  readonly check?: (run: Run) => Promise<readonly Finding[]>;
}

/** A kind as it is defined: what is said of a value has the type that the kind gives its values. */
interface Definition<Name extends string, Value extends Json>
  extends Omit<Kind, 'kind' | 'value' | 'say' | 'sayBriefly' | 'sayChange'> {
  readonly kind: Name;
  readonly value: z.ZodType<Value>;
  readonly say?: (found: ShownFinding<Value>) => Words | undefined;
  readonly sayBriefly?: (found: ShownFinding<Value>) => Words | undefined;
  readonly sayChange?: (was: Before<Value>, now: ShownFinding<Value>, between: Words) => Words | undefined;
}

/** A kind as rules name it: it says which values its facts have. */
export type NamedKind = Pick<FactKind, 'kind'> & { readonly value: z.ZodType<Json> };

/** The values of a kind. */
export type ValueOf<K extends NamedKind> = z.infer<K['value']>;

/** A fact of a kind, whose value is null where none was seen. */
export type FactOf<K extends NamedKind, Fact = Observation> = Omit<Fact, 'value'> & {
  readonly value: ValueOf<K> | null;
};

/** The facts of a kind among some. One with a value that the kind does not have is left out: nothing is known of it. */
export const factsOf = <K extends NamedKind, Fact extends Pick<Observation, 'kind' | 'value'>>(
  { kind, value }: K,
  facts: readonly Fact[],
): FactOf<K, Fact>[] =>
  facts
    .filter((one) => one.kind === kind && (one.value === null || value.safeParse(one.value).success))
    .map((one) => one as FactOf<K, Fact>);

/** Defines a kind of fact. Of a value that is none of the kind nothing is said. */
export function defineKind<const Name extends string, Value extends Json>(
  definition: Definition<Name, Value>,
) {
  const { value: schema, say, sayBriefly, sayChange, ...kind } = definition;
  const read = (value: unknown) => schema.safeParse(value).data;
  const ofRead = (words: NonNullable<typeof say>) => (found: ShownFinding) => {
    const value = read(found.value);
    return value === undefined ? undefined : words({ ...found, value });
  };
  const defined = {
    ...kind,
    value: schema,
    ...(say && { say: ofRead(say) }),
    ...(sayBriefly && { sayBriefly: ofRead(sayBriefly) }),
    ...(sayChange && {
      sayChange(was: Before, now: ShownFinding, between: Words) {
        const value = read(now.value);
        return value === undefined
          ? undefined
          : sayChange({ ...was, value: read(was.value) ?? null }, { ...now, value }, between);
      },
    }),
  };
  return defined satisfies Kind;
}
