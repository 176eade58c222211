import { isJsonObject, type JsonObject, ownMember } from '../core/json.ts';

const longestLine = 500;

const simpleForms = {
  text: (value: unknown) => typeof value === 'string',
  /** Not cut if longer, because a part may name another place. */
  line: (value: unknown) => typeof value === 'string' && value.length <= longestLine,
  flag: (value: unknown) => typeof value === 'boolean',
  scalar: (value: unknown) => /^(?:string|number|boolean)$/.test(typeof value),
  members: isJsonObject,
  any: () => true,
};
type Form =
  | keyof typeof simpleForms
  | { readonly object: Fields }
  | { readonly list: RecordItem }
  | { readonly map: Fields };
type Fields = { readonly [name: string]: Form };
interface RecordItem {
  readonly fields: Fields;
  /** An item is read only with one of these. */
  readonly names: readonly string[];
  /** Reported if an item lacks it. */
  readonly needs?: string;
}

const input: Fields = {
  description: 'text',
  format: 'text',
  value: 'scalar',
  default: 'scalar',
  placeholder: 'text',
  choices: 'any',
  isRequired: 'flag',
  isSecret: 'flag',
};
const variables: Form = { map: input };
const namedInput: Fields = { ...input, name: 'text', variables };
const named: Form = { list: { fields: namedInput, names: ['name'] } };
const argument: Fields = { ...namedInput, type: 'text', valueHint: 'text', isRepeated: 'flag' };
const callArguments: Form = { list: { fields: argument, names: ['name', 'value', 'valueHint', 'default'] } };
const transport: Fields = { type: 'line', url: 'line', headers: named, variables };

/** The registry's schema of 2025-12-11. */
export const recordForm: Fields = {
  $schema: 'any',
  name: 'text',
  version: 'text',
  title: 'text',
  description: 'text',
  websiteUrl: 'text',
  icons: 'any',
  _meta: 'members',
  repository: { object: { url: 'line', source: 'text', id: 'text', subfolder: 'text' } },
  remotes: { list: { fields: transport, names: ['url'], needs: 'type' } },
  packages: {
    list: {
      names: ['identifier'],
      fields: {
        registryType: 'line',
        registryBaseUrl: 'line',
        identifier: 'line',
        version: 'line',
        fileSha256: 'line',
        runtimeHint: 'line',
        transport: { object: transport },
        runtimeArguments: callArguments,
        packageArguments: callArguments,
        environmentVariables: named,
      },
    },
  },
};

export const recordFields: ReadonlySet<string> = new Set(Object.keys(recordForm));

/** Before September 2025. `name` was a package's identifier. */
const olderNames: Readonly<Record<string, string>> = {
  name: 'identifier',
  registry_name: 'registryType',
  transport_type: 'type',
  file_sha256: 'fileSha256',
};

const toCamel = (name: string) =>
  ownMember(olderNames, name) ??
  (name.includes('_') ? name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : name);

/** As written if the record has the present name too. */
function nameOfItem(name: string, within: JsonObject, fields: Fields): string {
  if (Object.hasOwn(fields, name)) return name;
  const camel = toCamel(name);
  return Object.hasOwn(fields, camel) && !Object.hasOwn(within, camel) ? camel : name;
}

type Report = (path: string) => void;

function readForm(value: unknown, form: Form, path: string, report: Report): unknown {
  const fits = (isFitting: boolean, read: () => unknown) => {
    if (isFitting) return read();
    report(path);
    return undefined;
  };
  if (typeof form === 'string') return fits(simpleForms[form](value), () => value);
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
  if (Array.isArray(value)) return keepItems(value, form.list, path, report);
  report(path.includes('.') ? path : `${path}[]`);
  return undefined;
}

/** Members are reported at the item's new position, an unread item as `path[]`. */
function keepItems(
  list: readonly unknown[],
  { fields, names, needs }: RecordItem,
  path: string,
  report: Report,
) {
  const kept: JsonObject[] = [];
  for (const one of list) {
    const inside: string[] = [];
    const below = `${path}.${kept.length}`;
    const read = isJsonObject(one) ? readFields(one, fields, below, (at) => inside.push(at)) : undefined;
    const isRead = (name: string) => (read?.[name] ?? '') !== '';
    // Some tools write an empty item for none.
    const saysNothing = names.some((name) => read?.[name] === '') && !Object.keys(read ?? {}).some(isRead);
    if (read && (saysNothing || names.some(isRead))) {
      kept.push(read);
      for (const at of inside) report(at);
      if (needs !== undefined && !isRead(needs)) report(`${below}.${needs}`);
    } else report(`${path}[]`);
  }
  return kept;
}

function readFields(value: JsonObject, fields: Fields, path: string, report: Report): JsonObject {
  const renamed = new Set<string>();
  const members: [string, unknown][] = [];
  for (const written of Object.keys(value)) {
    const inner = value[written];
    const name = nameOfItem(written, value, fields);
    const meant = toCamel(name);
    // It is not known which of two spellings holds.
    if (inner !== null && (name !== meant || renamed.has(name)) && Object.hasOwn(fields, meant))
      report(path === '' ? meant : `${path}.${meant}`);
    if (renamed.has(name)) continue;
    if (name !== written) renamed.add(name);
    const below = path === '' ? name : `${path}.${name}`;
    const form = ownMember(fields, name);
    if (form === undefined) {
      if (path !== '') report(below);
      members.push([name, inner]);
      // Registries in Go write null for what is absent.
    } else if (inner !== null && inner !== undefined) {
      const read = readForm(inner, form, below, report);
      if (read !== undefined) members.push([name, read]);
    }
  }
  return Object.fromEntries(members);
}

export type ReadRecord = Readonly<ReturnType<typeof readRecord>>;

/** A part in `unread`, or one of its items. */
export const unreadParts = {
  endpoint: 'remotes[]',
  package: 'packages[]',
  repository: 'repository',
} as const;
export const isUnreadPart = (path: string): boolean => Object.values<string>(unreadParts).includes(path);

/**
 * Of any year and form. Never throws. Unknown members stay. `server` has present names, without members of
 * an unexpected form. `unread`: what has an unexpected form or two spellings, or is unknown below the top
 * level: `packages.0.transport`. `packages[]` is an unread item, or all of them.
 */
export function readRecord(server: object) {
  const unread = new Set<string>();
  const read = readFields(server as JsonObject, recordForm, '', (path) => unread.add(path));
  return { server: read, unread: [...unread] as readonly string[] };
}
