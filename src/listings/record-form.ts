import { isJsonObject, type JsonObject, ownMember } from '../core/json.ts';

type Form =
  | 'text'
  | 'flag'
  | 'any'
  | { readonly object: Fields }
  | { readonly list: RecordItem }
  | { readonly map: Fields };
type Fields = { readonly [name: string]: Form };
interface RecordItem {
  readonly fields: Fields;
  /** An item is read only if at least one of these members is a text. */
  readonly names: readonly string[];
  /** An item is read only if all of these members are texts. */
  readonly needs?: readonly string[];
}

const input: Fields = {
  description: 'text',
  format: 'text',
  value: 'any',
  default: 'any',
  placeholder: 'text',
  choices: 'any',
  isRequired: 'flag',
  isSecret: 'flag',
};
const variables: Form = { map: input };
const named: Form = { list: { fields: { ...input, name: 'text', variables }, names: ['name'] } };
const argument: Fields = {
  ...input,
  type: 'text',
  name: 'text',
  valueHint: 'text',
  isRepeated: 'flag',
  variables,
};
const callArguments: Form = { list: { fields: argument, names: ['name', 'value', 'valueHint', 'default'] } };
const transport: Fields = { type: 'text', url: 'text', headers: named, variables };

/** The members of a server.json that Dossier reads, by the registry's schema of 2025-12-11. */
const record: Fields = {
  $schema: 'any',
  name: 'text',
  version: 'text',
  title: 'text',
  description: 'text',
  websiteUrl: 'text',
  icons: 'any',
  _meta: 'any',
  repository: { object: { url: 'text', source: 'text', id: 'text', subfolder: 'text' } },
  remotes: { list: { fields: transport, names: ['url'], needs: ['type'] } },
  packages: {
    list: {
      names: ['identifier'],
      fields: {
        registryType: 'text',
        registryBaseUrl: 'text',
        identifier: 'text',
        version: 'text',
        fileSha256: 'text',
        runtimeHint: 'text',
        transport: { object: transport },
        runtimeArguments: callArguments,
        packageArguments: callArguments,
        environmentVariables: named,
      },
    },
  },
};

/**
 * Former names of members in records before September 2025. `name` is the former name of a package's
 * identifier.
 */
const olderNames: Readonly<Record<string, string>> = {
  name: 'identifier',
  registry_name: 'registryType',
  transport_type: 'type',
  file_sha256: 'fileSha256',
};

const toCamel = (name: string) =>
  ownMember(olderNames, name) ?? name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The present name of a member, unless the record has a member of that name too. */
function nameOfItem(name: string, within: JsonObject, fields: Fields): string {
  if (Object.hasOwn(fields, name)) return name;
  const camel = toCamel(name);
  return Object.hasOwn(fields, camel) && !Object.hasOwn(within, camel) ? camel : name;
}

type Report = (path: string) => void;

/** Reports a value of another form, and returns undefined for it. */
function readForm(value: unknown, form: Form, path: string, report: Report): unknown {
  const fits = (isFitting: boolean, read: () => unknown) => {
    if (isFitting) return read();
    report(path);
    return undefined;
  };
  if (form === 'any') return value;
  if (form === 'text') return fits(typeof value === 'string', () => value);
  if (form === 'flag') return fits(typeof value === 'boolean', () => value);
  if ('object' in form)
    return fits(isJsonObject(value), () => readFields(value as JsonObject, form.object, path, report));
  if ('map' in form)
    return fits(isJsonObject(value), () =>
      Object.fromEntries(
        Object.entries(value as JsonObject).flatMap(([name, one]) => {
          const read = one === null ? undefined : readForm(one, { object: form.map }, path, report);
          return read === undefined ? [] : [[name, read]];
        }),
      ),
    );
  return fits(Array.isArray(value), () => keepItems(value as readonly unknown[], form.list, path, report));
}

/**
 * A member that cannot be read is reported with its item's position in the returned list. An item that cannot
 * be read is reported as `path[]`.
 */
function keepItems(
  list: readonly unknown[],
  { fields, names, needs = [] }: RecordItem,
  path: string,
  report: Report,
) {
  const kept: JsonObject[] = [];
  for (const one of list) {
    const inside: string[] = [];
    const below = `${path}.${kept.length}`;
    const read = isJsonObject(one) ? readFields(one, fields, below, (at) => inside.push(at)) : undefined;
    const isText = (name: string) => typeof read?.[name] === 'string';
    if (read && names.some(isText) && needs.every(isText)) {
      kept.push(read);
      inside.forEach(report);
    } else report(`${path}[]`);
  }
  return kept;
}

function readFields(value: JsonObject, fields: Fields, path: string, report: Report): JsonObject {
  const known = new Set<string>();
  const members = Object.entries(value).flatMap(([written, inner]): [string, unknown][] => {
    const name = nameOfItem(written, value, fields);
    const meant = toCamel(name);
    // If a member has two spellings, it is not known which one holds.
    if (inner !== null && Object.hasOwn(fields, meant) && (name !== meant || known.has(name)))
      report(path === '' ? meant : `${path}.${meant}`);
    if (known.has(name)) return [];
    known.add(name);
    const below = path === '' ? name : `${path}.${name}`;
    const form = ownMember(fields, name);
    if (form === undefined) {
      if (path !== '') report(below);
      return [[name, inner]];
    }
    // Registries in Go write null for what is absent.
    if (inner === null || inner === undefined) return [];
    const read = readForm(inner, form, below, report);
    return read === undefined ? [] : [[name, read]];
  });
  return Object.fromEntries(members);
}

export interface ReadRecord {
  /** The record with the names of the present schema, without members of an unexpected form. */
  readonly server: JsonObject;
  /**
   * The paths of members of an unexpected form, of members written in two spellings, and of unknown members
   * below the top level: `packages.0.environmentVariables`. `packages[]` is an item of a list that cannot be
   * read.
   */
  readonly unread: readonly string[];
}

/** Reads a server.json of any year and form. Never throws. Unknown members stay as they are. */
export function readRecord(server: object): ReadRecord {
  const unread = new Set<string>();
  const read = readFields(server as JsonObject, record, '', (path) => unread.add(path));
  return { server: read, unread: [...unread] };
}
