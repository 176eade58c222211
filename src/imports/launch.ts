import { asMembers, type JsonObject, objectsOf } from '../core/json.ts';
import { isPlaceholderOnly, placeholdersIn, toLine } from '../core/text.ts';
import type { ListingPackage } from '../listings/listing.ts';
import { reachesMachine } from '../listings/references/programs.ts';

const mostWords = 100;
const longestWord = 500;
const template = /\{([^{}]+)\}/g;

/**
 * `{name}` is filled in by the caller. Undefined if it cannot be written down, for example for a part to
 * fill in.
 */
type LaunchWord = string | undefined;

export const scalar = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;

/** Other than by the variables of the record. */
const isToFillIn = (text: string) => !text.startsWith('{') && isPlaceholderOnly(text);

const ownValue = (variables: unknown, name: string) => {
  const { value, default: usual } = asMembers(asMembers(variables)[name]);
  return scalar(value) ?? scalar(usual);
};

/** Undefined if a variable without a value is only a part of the text. */
function fill(value: string, variables: unknown): LaunchWord {
  const filled = value.replace(template, (whole, name: string) => ownValue(variables, name) ?? whole);
  const open = [...filled.matchAll(template)];
  return open.length === 0 || open[0]?.[0] === filled ? filled : undefined;
}

/** Without a value, or with the next argument as value. */
const runtimeFlag = /^(?:-\w{1,3}|--(?:rm|init|interactive|tty|yes|quiet))$/;

/** Asks the caller for nothing. */
export const isOfRunner = ({ name, value, default: usual, isRequired }: JsonObject): boolean =>
  runtimeFlag.test(scalar(name) ?? '') &&
  (scalar(value) ?? scalar(usual)) === undefined &&
  isRequired !== true;

const optionForm = /^-[^\s=]+$/;

/** Only the caller could complete it. */
function isLeftOut({ isRequired, variables }: JsonObject, stated: string): boolean {
  const open = [...stated.matchAll(template)].flatMap(([, name = '']) =>
    ownValue(variables, name) === undefined ? [asMembers(asMembers(variables)[name])] : [],
  );
  const isOptional = open.every((variable) => variable.isRequired === false);
  return open.length > 0 && (isRequired === false || (isRequired !== true && isOptional));
}

/** Takes no value. */
export const isSwitch = (argument: JsonObject) =>
  argument.isRequired === true
    ? argument.format === 'boolean'
    : Object.keys(argument).every((member) => member === 'type' || member === 'name');

/** An optional one without a value has no words. */
function wordsOf(argument: JsonObject, isOfRuntime: boolean): readonly LaunchWord[] {
  const { name, valueHint, variables, isRequired, format } = argument;
  const written = scalar(argument.value) ?? scalar(argument.default);
  const stated = written !== undefined && isToFillIn(written) ? undefined : written;
  const flag = typeof name === 'string' ? name : '';
  const isNamed = argument.type === 'named' || (argument.type !== 'positional' && flag !== '');
  // Records of 2025 state `-i` as the value of `-i`.
  if (isNamed && (stated === flag || (stated === undefined && isSwitch(argument))))
    return [optionForm.test(flag) ? flag : undefined];
  if (stated === undefined && isRequired !== true) return isOfRuntime && runtimeFlag.test(flag) ? [flag] : [];
  if (stated !== undefined && isLeftOut(argument, stated)) return [];
  const value = stated === undefined ? `{${flag || scalar(valueHint) || 'value'}}` : fill(stated, variables);
  if (!isNamed) return [value];
  if (!optionForm.test(flag)) return [undefined];
  // A container gets the caller's value by name.
  const [, passed] = value === undefined ? (/^(\w+)=\{[^{}]+\}$/.exec(stated ?? '') ?? []) : [];
  if (passed && /^(?:-e|--env)$/.test(flag)) return [flag, passed];
  if (format === 'boolean' && stated !== undefined) return stated === 'true' ? [flag] : [];
  return [flag, value];
}

/** `unwritten` is the first that cannot be written down, or is one too many. */
function toWords(
  recorded: unknown,
  isOfRuntime: boolean,
): { readonly words: string[]; readonly unwritten?: string } {
  const words: string[] = [];
  for (const argument of objectsOf(recorded))
    for (const word of wordsOf(argument, isOfRuntime)) {
      const isWhole = word !== undefined && word.length <= longestWord && toLine(word) === word;
      if (!isWhole || words.length === mostWords) {
        const name = scalar(argument.name) ?? scalar(argument.valueHint) ?? scalar(argument.value) ?? '';
        return { words: [], unwritten: toLine(name).slice(0, 100).toWellFormed() || 'an argument' };
      }
      words.push(word);
    }
  return { words };
}

/** `isKept`: a command can have it unchanged. */
function fixedVariable(given: JsonObject) {
  const value = scalar(given.value);
  const filled = value === undefined ? undefined : fill(value, given.variables);
  if (filled === undefined || filled === '' || placeholdersIn(filled).length > 0) return [];
  const name = scalar(given.name) ?? '';
  const isPlain = filled.length <= longestWord && toLine(filled) === filled;
  return [{ name, filled, isKept: isPlain && /^[A-Za-z_]\w{0,59}$/.test(name) }];
}

const fixedVariables = (recorded: unknown) => objectsOf(recorded).flatMap(fixedVariable);

/** Without one of its variables, a command might start other code. */
export function keepsVariables({ environmentVariables }: JsonObject): boolean {
  const fixed = fixedVariables(environmentVariables);
  return fixed.length <= mostWords && fixed.every(({ isKept }) => isKept);
}

export function toLaunch(recorded: JsonObject) {
  const { runtimeHint, runtimeArguments, packageArguments, environmentVariables } = recorded;
  const runtime = typeof runtimeHint === 'string' ? toLine(runtimeHint).slice(0, 60).toWellFormed() : '';
  const before = toWords(runtimeArguments, true);
  const behind = toWords(packageArguments, false);
  const kept = fixedVariables(environmentVariables).filter(({ isKept }) => isKept);
  const environment = Object.fromEntries(kept.slice(0, mostWords).map(({ name, filled }) => [name, filled]));
  const unwritten = before.unwritten ?? behind.unwritten;
  return {
    ...(runtime && { runtime }),
    ...(before.words.length > 0 && { runtime_arguments: before.words }),
    ...(behind.words.length > 0 && { arguments: behind.words }),
    ...(Object.keys(environment).length > 0 && { environment }),
    ...(unwritten !== undefined && { unwritten }),
  };
}

export const recordedText = (value: unknown, longest: number) =>
  typeof value === 'string' ? toLine(value).slice(0, longest).toWellFormed() : '';

const longestText = 500;
export const recordedLine = (text: unknown) => recordedText(text, longestText);

const mostReaches = 20;

/** Whether or not the caller fills in a part of them. */
export function toReaches({ runtimeArguments }: JsonObject): Pick<ListingPackage, 'reaches'> {
  const words = objectsOf(runtimeArguments).flatMap(({ name, value, default: usual }) =>
    [name, scalar(value) ?? scalar(usual)].flatMap((word) => recordedLine(word) || []),
  );
  const reaches = words.flatMap((word, at) => reachesMachine(word, words[at + 1]) ?? []);
  return reaches.length > 0 ? { reaches: reaches.slice(0, mostReaches) } : {};
}
