import { hash } from 'node:crypto';
import { asMembers, type JsonObject, objectsOf, ownMember } from '../core/json.ts';
import { isTemplate, toLine } from '../core/text.ts';
import type { ListingInput } from '../listings/listing.ts';
import { hostsIn, type Naming, type Setting, toNaming } from '../listings/naming.ts';
import { readRecord } from '../listings/record-form.ts';
import { isImageType, versionOfImage } from '../listings/references/command.ts';
import { steersRuntime } from '../listings/references/programs.ts';
import { toRepositoryKey } from '../net/repository-place.ts';
import { isSwitch, scalar } from './launch.ts';
import { inputsOfPackage, inputsOfRemote, toPackage } from './recorded.ts';

const lineOf = (value: unknown): string => (typeof value === 'string' ? toLine(value) : '');

function valuesOf({ value, default: usual, choices }: JsonObject): string[] {
  const stated = scalar(value) ?? scalar(usual);
  const offered = Array.isArray(choices) ? choices.map(scalar) : [];
  return [...new Set([stated, ...offered].flatMap((one) => (one ? [toLine(one)] : [])))];
}

const template = /\{([^{}]+)\}/g;

/** Left for one record. */
interface Budget {
  /** After the first of each variable. */
  values: number;
  /** To find hosts in. */
  characters: number;
  secrets: number;
  /** A record may stop calling an input a secret. */
  plainInputs: number;
  /** False if something was left out. */
  isWhole: boolean;
}
const mostItems = 300;
const mostSecrets = 200;
const mostPlainInputs = 1000;
const mostValues = 100;
const mostCharacters = 10_000;
const longestFilled = 5000;

function namedIn(value: string, budget: Budget): ReadonlyMap<string, string> {
  if (value.length > budget.characters) budget.isWhole = false;
  const read = value.slice(0, budget.characters);
  budget.characters -= read.length;
  return hostsIn(read);
}

/** With all first values, and with each further value of a variable. One without a value stays. */
function fillAll(written: string, variables: unknown, budget: Budget): string[] {
  const known = new Map(
    [...new Set([...written.matchAll(template)].map(([, name = '']) => name))].map((name) => [
      name,
      valuesOf(asMembers(ownMember(asMembers(variables), name))),
    ]),
  );
  const fill = (other?: string, value = '') =>
    written.replace(template, (whole, name: string) =>
      name === other ? value : (known.get(name)?.[0] ?? whole),
    );
  const others = [...known].flatMap(([name, values]) =>
    values.slice(1).map((value) => [name, value] as const),
  );
  const isTooMuch = others.length > budget.values || (others.length > 0 && written.length > longestFilled);
  if (isTooMuch) budget.isWhole = false;
  else budget.values -= others.length;
  return [...new Set([fill(), ...(isTooMuch ? [] : others.map(([name, value]) => fill(name, value)))])];
}

/** Whole, because values with the same first digits are found within a minute. */
const hiddenValue = (value: string) => `sha256-${hash('sha256', value)}`;

/** A part that the caller fills in is not in the record, and the text around it is no secret. */
function hasSecret(given: JsonObject, value: string): boolean {
  const filled = Object.values(asMembers(given.variables))
    .map(asMembers)
    .filter((one) => valuesOf(one).length > 0);
  return given.isSecret === true
    ? value !== '' && (filled.length > 0 || !isTemplate(value))
    : filled.some((one) => one.isSecret === true);
}

/** A secret is its hosts and a digest, so that a record cannot hide a change of it. */
function toSetting(
  name: string,
  between: string,
  value: string,
  given: JsonObject,
  budget: Budget,
): Omit<Setting, 'isOfRuntime'> {
  const hosts = namedIn(value, budget);
  const shown = hasSecret(given, value) ? [...[...hosts.keys()].sort(), hiddenValue(value)].join('#') : value;
  return { text: [name, shown].filter(Boolean).join(between), hosts };
}

const passing = /^(?:-e|--env)$/;
const passedTemplate = /^([A-Za-z_]\w*)=(.*\{[^{}]+\}.*)$/s;

/** `-e NAME={x}` of a container is its variable NAME, and `-e NAME` passes a variable of the record on. */
function withPassed(recorded: JsonObject): JsonObject {
  if (!isImageType(lineOf(recorded.registryType))) return recorded;
  const variables = objectsOf(recorded.environmentVariables);
  const names = new Set(variables.map(({ name }) => lineOf(name)));
  const given = objectsOf(recorded.runtimeArguments);
  const passes = given.map(({ name }) => passing.test(lineOf(name)));
  const isPassedOn = (at: number) => names.has(lineOf(given[at]?.value));
  const passed = given.flatMap((one, at) => {
    const [, name, value] = (passes[at] && passedTemplate.exec(lineOf(one.value))) || [];
    return name === undefined ? [] : [{ ...one, name, value }];
  });
  const isVariable = (at: number): boolean =>
    passes[at]
      ? isPassedOn(at) ||
        passedTemplate.test(lineOf(given[at]?.value)) ||
        (!given[at]?.value && isPassedOn(at + 1))
      : isPassedOn(at) && passes[at - 1] === true && !given[at - 1]?.value;
  return {
    ...recorded,
    runtimeArguments: given.filter((_, at) => !isVariable(at)),
    environmentVariables: [...variables, ...passed],
  };
}

/** They start nothing else. */
const plainArgument = /^(?:-y|--yes|-q|--quiet)(?: true)?$/;
/** Nor do these of a container; `passedVariable` passes one on. */
const plainOfContainer = /^(?:run|-i|-t|-it|-e|--(?:rm|init|interactive|tty|env))(?: true)?$/;
const passedVariable = /^(?:(?:-e|--env)[ =]([A-Za-z_]\w*)|([A-Z][A-Z0-9_]*))(?:=.*)?$/s;

interface PackageStart {
  readonly name: string;
  readonly isImage: boolean;
}

/** Extras and a version, or the tag and digest of an image. */
const behindPackage = /^(\[[\w,-]*\])?(?:(?:@|==)[\w.+-]*)?$/;
const behindImage = /^()(?::[\w.-]*)?(?:@sha256:[a-f0-9]{64})?$/;

/** The extras stay, because they name more packages to install. */
function withoutVersion(word: string, { name, isImage }: PackageStart): string {
  const plain = isImage ? word.replace(/^docker\.io\/(?:library\/)?/, '') : word;
  const behind = isImage ? behindImage : behindPackage;
  const found = name !== '' && plain.startsWith(name) ? behind.exec(plain.slice(name.length)) : null;
  return found ? `${name}${found[1] ?? ''}` : word;
}

function steers(words: string, { name, isImage }: PackageStart): boolean {
  if (plainArgument.test(words) || words === name || words === `--from ${name}`) return false;
  if (!isImage || plainOfContainer.test(words)) return !isImage;
  const [, option, variable = option] = passedVariable.exec(words) ?? [];
  return variable === undefined || steersRuntime(variable);
}

function ofArguments(list: unknown, started: PackageStart, isOfRuntime: boolean, budget: Budget): Setting[] {
  return objectsOf(list).flatMap((given) => {
    const flag = lineOf(given.name);
    const values = valuesOf(given)
      .flatMap((value) => fillAll(value, given.variables, budget))
      .map((value) => withoutVersion(value, started));
    const isGiven = values.length > 0 || isOfRuntime || isSwitch(given);
    const hint = flag || `{${lineOf(given.valueHint) || 'value'}}`;
    const words = values.length > 0 ? values : isGiven ? [hint] : [];
    return words.map((value) => {
      const setting = toSetting(value === hint || value === flag ? '' : flag, ' ', value, given, budget);
      return { ...setting, isOfRuntime: isOfRuntime && steers(setting.text, started) };
    });
  });
}

/** With a host, or able to make a runtime start other code. */
function ofEnvironment(list: unknown, budget: Budget): Setting[] {
  return objectsOf(list)
    .flatMap((given) => {
      const name = lineOf(given.name);
      const isOfRuntime = steersRuntime(name);
      return valuesOf(given)
        .flatMap((value) => fillAll(value, given.variables, budget))
        .map((value) => ({ ...toSetting(name, '=', value, given, budget), isOfRuntime }))
        .filter(({ hosts }) => isOfRuntime || hosts.size > 0);
    })
    .sort((a, b) => (a.text < b.text ? -1 : 1));
}

/** Unless the record names another. */
const usualRuntimes: Readonly<Record<string, string>> = {
  npm: 'npx',
  pypi: 'uvx',
  oci: 'docker',
  nuget: 'dnx',
};

function settingsOf(recorded: JsonObject, budget: Budget): Setting[] {
  const { runtimeHint, runtimeArguments, packageArguments, environmentVariables, transport } = recorded;
  const type = lineOf(recorded.registryType);
  const identifier = lineOf(recorded.identifier);
  const isImage = isImageType(type);
  const tag = isImage ? versionOfImage(identifier) : undefined;
  const whole = tag === undefined ? identifier : identifier.slice(0, -tag.length - 1);
  const started = { name: whole.replace(/^docker\.io\/(?:library\/)?/, ''), isImage };
  const runtime = lineOf(runtimeHint);
  const isUsual = runtime === '' || ownMember(usualRuntimes, isImage ? 'oci' : type) === runtime;
  const { url, variables } = asMembers(transport);
  return [
    ...(isUsual ? [] : [{ text: runtime, hosts: namedIn(runtime, budget), isOfRuntime: true }]),
    ...ofArguments(runtimeArguments, started, true, budget),
    ...ofArguments(packageArguments, started, false, budget),
    ...ofEnvironment(environmentVariables, budget),
    ...fillAll(lineOf(url), variables, budget)
      .map((address) => ({ text: address, hosts: namedIn(address, budget), isOfRuntime: false }))
      .filter(({ hosts }) => hosts.size > 0),
  ];
}

const compared =
  /^(?:remotes|packages)(?:$|\[\]|\.\d+\.(?:url|identifier|registryType|registryBaseUrl|runtimeHint|transport|headers|variables|runtimeArguments|packageArguments|environmentVariables)(?:[.[]|$))|^repository(?:$|\.url$)/;

const namingEndpoint = /^remotes(?:$|\[\]|\.\d+\.(?:url|variables)(?:[.[]|$))/;
const namingPackage = /^packages(?:$|\[\]|\.\d+\.(?:identifier|registryType|registryBaseUrl)$)/;

function itemsOf(list: unknown, budget: Budget): JsonObject[] {
  const items = objectsOf(list);
  if (items.length > mostItems) budget.isWhole = false;
  return items.slice(0, mostItems);
}

/** Digests differ as the values do, and do not reveal them. */
const withoutValues = (given: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(given).map(([name, stated]) => {
      if (Array.isArray(stated)) return [name, stated.map((one) => hiddenValue(String(one)))];
      return [name, typeof stated === 'string' && name !== 'description' ? hiddenValue(stated) : stated];
    }),
  );

/** A secret is shown only within the host. */
function addressesOf({ url, variables }: JsonObject, budget: Budget): string[] {
  const written = lineOf(url);
  const [host = ''] = /^[^/]*(?:\/\/[^/?#]*)?/.exec(written) ?? [];
  const filled = Object.entries(asMembers(variables)).map(([name, given]): [string, unknown] => {
    const isHidden = asMembers(given).isSecret === true && !host.includes(`{${name}}`);
    return [name, isHidden ? withoutValues(asMembers(given)) : given];
  });
  return fillAll(written, Object.fromEntries(filled), budget);
}

/** Each input is compared for each place that gets it. */
function inputsWithin(inputs: readonly ListingInput[], budget: Budget): ListingInput[] {
  const keep = (kind: 'secrets' | 'plainInputs') => {
    const all = inputs.filter(({ secret }) => secret === (kind === 'secrets'));
    const kept = all.slice(0, budget[kind]);
    if (kept.length < all.length) budget.isWhole = false;
    budget[kind] -= kept.length;
    return kept;
  };
  return [...keep('secrets'), ...keep('plainInputs')];
}

/** More than a listing shows. */
export function namingOf(record: object): Naming {
  const { server, unread } = readRecord(record);
  const budget: Budget = {
    values: mostValues,
    characters: mostCharacters,
    secrets: mostSecrets,
    plainInputs: mostPlainInputs,
    isWhole: true,
  };
  const listed = itemsOf(server.remotes, budget);
  const addressed = listed.map((one) => ({ one, addresses: addressesOf(one, budget) }));
  const hasAllAddresses = budget.isWhole;
  const remotes = addressed.map(({ one, addresses }) => ({
    url: lineOf(one.url),
    type: lineOf(one.type),
    addresses,
    inputs: inputsWithin(inputsOfRemote(one), budget),
  }));
  const started = itemsOf(server.packages, budget).map(withPassed);
  const packages = started.map((one) => ({
    ...toPackage(one, {}),
    inputs: inputsWithin(inputsOfPackage(one), budget),
    settings: settingsOf(one, budget),
  }));
  return toNaming({
    remotes: remotes.filter(({ url }) => url !== ''),
    packages,
    repository_key: toRepositoryKey(lineOf(asMembers(server.repository).url)),
    isPartlyRead: !budget.isWhole || unread.some((path) => compared.test(path)),
    mayNameMore: {
      endpoints: !hasAllAddresses || unread.some((path) => namingEndpoint.test(path)),
      packages:
        objectsOf(server.packages).length > mostItems || unread.some((path) => namingPackage.test(path)),
    },
  });
}
