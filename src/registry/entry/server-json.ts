import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** Key of the registry's own facts in an entry's `_meta`. */
export const registryMeta = 'io.modelcontextprotocol.registry/official';
/** Key of the publisher's own facts in a record's `_meta`. */
export const publisherMeta = 'io.modelcontextprotocol.registry/publisher-provided';

const listPage = Type.Object({
  servers: Type.Union([Type.Array(Type.Unknown()), Type.Null()]),
  metadata: Type.Optional(
    Type.Object({ nextCursor: Type.Optional(Type.Union([Type.String({ maxLength: 4096 }), Type.Null()])) }),
  ),
});
/** One page of a registry's list. The last one has no cursor or an empty one; registries in Go write null for no entries. */
export const listPageForm = Compile(listPage);

const entryHead = Type.Object({
  server: Type.Object({
    name: Type.String({
      minLength: 3,
      maxLength: 200, // A part of dots alone would lead elsewhere in the address of the page.
      pattern: '^(?!\\.+/)[a-zA-Z0-9.-]+/(?!\\.+$)[a-zA-Z0-9._-]+$',
    }),
    version: Type.String({ minLength: 1, maxLength: 255 }),
  }),
});
/** What identifies an entry, and all that a deleted one needs. */
export const entryHeadForm = Compile(entryHead);

const statusMeta = Type.Object({
  status: Type.Union([Type.Literal('active'), Type.Literal('deprecated'), Type.Literal('deleted')]),
  statusMessage: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  publishedAt: Type.String(),
  updatedAt: Type.Optional(Type.String()),
  isLatest: Type.Optional(Type.Boolean()),
});
/** The registry's facts about an entry: `_meta` under `registryMeta`. */
export const statusMetaForm = Compile(statusMeta);
export type StatusMeta = Static<typeof statusMeta>;

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const listOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Optional(Type.Union([Type.Array(item), Type.Null()]));
/** Inputs that a caller must provide: read if well-formed (inputs.ts), never a reason to reject the record. */
const inputs = Type.Optional(Type.Unknown());
const transport = Type.Object({ type: Type.String(), url: text, headers: inputs, variables: inputs });

const serverJson = Type.Object({
  description: text,
  title: text,
  websiteUrl: text,
  repository: Type.Optional(Type.Union([Type.Object({ url: text }), Type.Null()])),
  remotes: listOf(transport),
  packages: listOf(
    Type.Object({
      registryType: text,
      identifier: text,
      version: text,
      transport: Type.Optional(transport),
      environmentVariables: inputs,
      runtimeArguments: inputs,
      packageArguments: inputs,
    }),
  ),
  _meta: Type.Optional(
    Type.Union([Type.Object({ [publisherMeta]: Type.Optional(Type.Unknown()) }), Type.Null()]),
  ),
});
/** The parts of a publisher's server.json that a listing is made of; other fields are stored unchecked. */
export const serverJsonForm = Compile(serverJson);
export type ServerJson = Static<typeof serverJson>;

/** Keywords, tags and categories that the publisher states in its own `_meta`. */
export function publisherKeywords(server: ServerJson): string[] {
  const provided = server._meta?.[publisherMeta];
  if (typeof provided !== 'object' || provided === null) return [];
  const { keywords, tags, categories } = provided as Record<string, unknown>;
  return [keywords, tags, categories]
    .flatMap((list) => (Array.isArray(list) ? (list.slice(0, 50) as unknown[]) : []))
    .filter((word) => typeof word === 'string')
    .filter((word) => word.length <= 64);
}
