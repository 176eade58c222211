import type { ListingInput } from '../../evidence/listing/listing-input.ts';
import { isJsonObject } from '../../evidence/text/json-object.ts';
import { toLine } from '../../evidence/text/sanitize.ts';

const longestName = 200;
const mostInputs = 100;

type Given = Readonly<Record<string, unknown>>;

const listed = (value: unknown): Given[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
const named = (value: unknown): [string, Given][] =>
  isJsonObject(value)
    ? Object.entries(value).filter((entry): entry is [string, Given] => isJsonObject(entry[1]))
    : [];

/** Whether a value is complete; one with a `{template}` still needs input from the caller. */
const isFixed = ({ value }: Given) => typeof value === 'string' && value !== '' && !/\{[^{}]+\}/.test(value);

/** One input. The variables of its value's template count as part of it. */
function toInput(kind: ListingInput['kind'], recorded: unknown, given: Given): ListingInput[] {
  const name = typeof recorded === 'string' ? toLine(recorded).slice(0, longestName).toWellFormed() : '';
  if (name === '') return [];
  const parts = [given, ...named(given.variables).map(([, variable]) => variable)];
  const has = (flag: 'isRequired' | 'isSecret') => parts.some((part) => part[flag] === true);
  return [{ name, kind, required: has('isRequired'), secret: has('isSecret') }];
}

const toHeaders = (headers: unknown) =>
  listed(headers).flatMap((given) => toInput('header', given.name, given));

const toVariables = (variables: unknown) =>
  named(variables).flatMap(([name, given]) => toInput('variable', name, given));

const toEnvironment = (variables: unknown) =>
  listed(variables)
    .filter((given) => !isFixed(given))
    .flatMap((given) => toInput('environment', given.name, given));

/** Arguments by name, else by value hint; those with variables (`-e name={value}`) by their variables. */
const toArguments = (args: unknown) =>
  listed(args)
    .filter((given) => !isFixed(given))
    .flatMap((given) =>
      named(given.variables).length > 0
        ? toVariables(given.variables)
        : toInput('argument', given.name || given.valueHint, given),
    );

/** The distinct inputs by kind and name; no field if there are none. */
function toInputs(inputs: readonly ListingInput[]): { inputs?: ListingInput[] } {
  const once = new Map(inputs.map((input) => [`${input.kind} ${input.name}`, input]));
  return once.size === 0 ? {} : { inputs: [...once.values()].slice(0, mostInputs) };
}

/** The inputs that a remote needs from its caller; malformed parts are ignored. */
export const remoteInputs = (remote: { readonly headers?: unknown; readonly variables?: unknown }) =>
  toInputs([...toHeaders(remote.headers), ...toVariables(remote.variables)]);

/** The inputs that running a package needs, including those of its transport. */
export const packageInputs = (recorded: {
  readonly environmentVariables?: unknown;
  readonly runtimeArguments?: unknown;
  readonly packageArguments?: unknown;
  readonly transport?: { readonly headers?: unknown; readonly variables?: unknown } | undefined;
}) =>
  toInputs([
    ...toEnvironment(recorded.environmentVariables),
    ...toArguments(recorded.runtimeArguments),
    ...toArguments(recorded.packageArguments),
    ...toHeaders(recorded.transport?.headers),
    ...toVariables(recorded.transport?.variables),
  ]);
