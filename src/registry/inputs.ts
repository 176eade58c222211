import type { ListingInput } from '../evidence/listing/listing-input.ts';
import { toLine } from '../evidence/text/sanitize.ts';

const longestName = 200;
const mostInputs = 100;

type Given = Readonly<Record<string, unknown>>;

const isGiven = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listed = (value: unknown): Given[] => (Array.isArray(value) ? value.filter(isGiven) : []);
const named = (value: unknown): [string, Given][] =>
  isGiven(value) ? Object.entries(value).filter((entry): entry is [string, Given] => isGiven(entry[1])) : [];

/** A value that stands already asks nothing of the caller; one with a `{template}` does. */
const isFixed = ({ value }: Given) => typeof value === 'string' && value !== '' && !/\{[^{}]+\}/.test(value);

/** An input by its name; what fills its value's template counts as part of it. */
function toInput(kind: ListingInput['kind'], recorded: unknown, given: Given): ListingInput[] {
  const name = typeof recorded === 'string' ? toLine(recorded).slice(0, longestName).toWellFormed() : '';
  if (name === '') return [];
  const parts = [given, ...named(given.variables).map(([, variable]) => variable)];
  const says = (flag: 'isRequired' | 'isSecret') => parts.some((part) => part[flag] === true);
  return [{ name, kind, required: says('isRequired'), secret: says('isSecret') }];
}

const toHeaders = (headers: unknown) =>
  listed(headers).flatMap((given) => toInput('header', given.name, given));

const toVariables = (variables: unknown) =>
  named(variables).flatMap(([name, given]) => toInput('variable', name, given));

const toEnvironment = (variables: unknown) =>
  listed(variables)
    .filter((given) => !isFixed(given))
    .flatMap((given) => toInput('environment', given.name, given));

/** Arguments by their name, or by what their publisher calls the value; `-e name={value}` by what fills it. */
const toArguments = (args: unknown) =>
  listed(args)
    .filter((given) => !isFixed(given))
    .flatMap((given) =>
      named(given.variables).length > 0
        ? toVariables(given.variables)
        : toInput('argument', given.name || given.valueHint, given),
    );

/** `inputs` where there are any, each name of a kind once. */
function toInputs(inputs: readonly ListingInput[]): { inputs?: ListingInput[] } {
  const once = new Map(inputs.map((input) => [`${input.kind} ${input.name}`, input]));
  return once.size === 0 ? {} : { inputs: [...once.values()].slice(0, mostInputs) };
}

/** What a remote asks of its caller; what does not have the form of server.json is left out. */
export const remoteInputs = (remote: { readonly headers?: unknown; readonly variables?: unknown }) =>
  toInputs([...toHeaders(remote.headers), ...toVariables(remote.variables)]);

/** What running a package asks, its transport included. */
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
