import { type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Schema } from './schema.ts';

/** What the table definitions need to know of an engine. */
export interface ColumnTypes {
  /** A column that holds whole numbers up to 2^53. */
  readonly int8: 'integer' | 'bigint';
  /** A column of text in the order of its bytes. */
  readonly text: 'text' | RawBuilder<unknown>;
}

type Column = readonly [name: string, type: 'text' | 'integer' | 'int8', optional?: 'null'];

async function createTable(
  db: Kysely<Schema>,
  types: ColumnTypes,
  table: keyof Schema,
  definition: {
    columns: readonly Column[];
    key: readonly string[];
  },
): Promise<void> {
  let builder: CreateTableBuilder<string, string> = db.schema.createTable(table);
  const single = definition.key.length === 1 ? definition.key[0] : undefined;
  for (const [name, type, optional] of definition.columns) {
    builder = builder.addColumn(name, type === 'integer' ? type : types[type], (column) => {
      if (name === single) return column.primaryKey().notNull();
      return optional ? column : column.notNull();
    });
  }
  if (!single) builder = builder.addPrimaryKeyConstraint(`${table}_key`, [...definition.key]);
  await builder.execute();
}

const text = (...names: string[]): Column[] => names.map((name) => [name, 'text']);
const optionalText = (...names: string[]): Column[] => names.map((name) => [name, 'text', 'null']);
const whole = (...names: string[]): Column[] => names.map((name) => [name, 'int8']);

const tables: readonly [keyof Schema, { columns: readonly Column[]; key: readonly string[] }][] = [
  [
    'listing',
    {
      key: ['id'],
      columns: [
        ...whole('id'),
        ...text(
          'handle',
          'handle_folded',
          'namespace',
          'description',
          'version',
          'origin',
          'origin_status',
          'published_at',
          'updated_at',
          'imported_at',
          'remotes',
          'packages',
          'tags',
          'facets',
        ),
        ...optionalText(
          'title',
          'status_message',
          'endpoint',
          'repository',
          'repository_key',
          'website',
          'withdrawn',
        ),
      ],
    },
  ],
  [
    'listing_version',
    {
      key: ['handle', 'version'],
      columns: [
        ...text('handle', 'version', 'status', 'published_at', 'updated_at', 'digest', 'record'),
        ...optionalText('status_message'),
        ['is_latest', 'integer'],
      ],
    },
  ],
  ['imported_signal', { key: ['handle', 'source'], columns: text('handle', 'source', 'signals') }],
  [
    'import_run',
    {
      key: ['id'],
      columns: [
        ...whole('id'),
        ...text('kind', 'source', 'state', 'started_at', 'counts'),
        ...optionalText('finished_at', 'updated_since', 'cursor', 'error', 'lease_owner', 'lease_at'),
      ],
    },
  ],
  [
    'quarantine',
    {
      key: ['name', 'version'],
      columns: [...text('name', 'version', 'reason', 'seen_at'), ...whole('run_id')],
    },
  ],
  [
    'claim',
    {
      key: ['handle'],
      columns: [
        ...text('handle', 'state', 'claimed_at', 'repository', 'repository_key', 'checked_at'),
        ...optionalText('suspended_reason', 'commit_id', 'branch'),
      ],
    },
  ],
  [
    'claim_event',
    {
      key: ['log_index'],
      columns: [
        ...whole('log_index'),
        ...text('handle', 'type', 'at', 'repository'),
        ...optionalText('commit_id', 'reason', 'capability_id'),
      ],
    },
  ],
  [
    'capability',
    {
      key: ['hash'],
      columns: [
        ...text('hash', 'id', 'handle', 'state', 'issued_at', 'activated_at'),
        ...optionalText('ended_at'),
      ],
    },
  ],
  [
    'rating',
    {
      key: ['id'],
      columns: [
        ...text(
          'id',
          'subject_handle',
          'source_handle',
          'source_capability_id',
          'source_root',
          'interaction_id',
          'interaction_at',
          'outcome',
          'content',
          'content_digest',
          'flags',
          'created_at',
        ),
        ['score', 'integer', 'null'],
        ['independent', 'integer'],
        ['is_current', 'integer'],
        ...whole('log_index'),
        ...optionalText('supersedes', 'superseded_by', 'withdrawn_at', 'withdrawn_reason'),
      ],
    },
  ],
  [
    'rating_response',
    { key: ['rating_id'], columns: [...text('rating_id', 'text', 'created_at'), ...whole('log_index')] },
  ],
  ['log_leaf', { key: ['log_index'], columns: [...whole('log_index'), ...text('type', 'leaf')] }],
  [
    'log_node',
    { key: ['log', 'level', 'position'], columns: [...whole('log', 'level', 'position'), ...text('hash')] },
  ],
  ['log_record', { key: ['log_index'], columns: [...whole('log_index'), ...text('salt', 'record')] }],
  [
    'log_head',
    {
      key: ['id'],
      columns: [...whole('id', 'base', 'size'), ...text('opened_at'), ...optionalText('closed_with')],
    },
  ],
  ['log_key', { key: ['id'], columns: [...whole('id'), ...text('seed', 'created_at')] }],
  [
    'feedback',
    {
      key: ['id'],
      columns: [
        ...text('id', 'received_at', 'state', 'message'),
        ['found_it', 'integer', 'null'],
        ...optionalText('category', 'handle', 'looking_for', 'contact'),
      ],
    },
  ],
  ['claim_key', { key: ['kid'], columns: [['kid', 'integer'], ...text('secret', 'created_at')] }],
  ['facet_count', { key: ['facet'], columns: [...text('facet'), ...whole('listings')] }],
];

const indexes: readonly [name: string, table: keyof Schema, columns: readonly string[], unique?: 'unique'][] =
  [
    ['listing_handle', 'listing', ['handle'], 'unique'],
    ['listing_handle_folded', 'listing', ['handle_folded']],
    ['listing_namespace', 'listing', ['namespace', 'withdrawn']],
    ['listing_published', 'listing', ['published_at', 'id']],
    ['listing_updated', 'listing', ['updated_at', 'id']],
    ['claim_event_handle', 'claim_event', ['handle', 'log_index']],
    ['capability_handle', 'capability', ['handle']],
    ['rating_subject', 'rating', ['subject_handle', 'is_current', 'created_at', 'id']],
    ['rating_history', 'rating', ['subject_handle', 'created_at', 'id']],
    ['rating_source', 'rating', ['source_handle', 'subject_handle', 'created_at']],
    ['import_run_state', 'import_run', ['state', 'id']],
    ['feedback_state', 'feedback', ['state', 'received_at']],
    ['feedback_received', 'feedback', ['received_at']],
  ];

const limitTables: typeof tables = [
  ['limit_bucket', { key: ['key'], columns: [...text('key'), ...optionalText('day'), ...whole('full_at')] }],
  ['limit_key', { key: ['day'], columns: text('day', 'secret') }],
];

/** The limits that all nodes share. */
export const createLimitTables = (types: ColumnTypes): Migration => ({
  async up(untyped: Kysely<unknown>) {
    const db = untyped as Kysely<Schema>;
    for (const [table, definition] of limitTables) await createTable(db, types, table, definition);
    for (const column of ['full_at', 'day'] as const)
      await db.schema.createIndex(`limit_bucket_${column}`).on('limit_bucket').column(column).execute();
  },
});

/** Looks at repositories that all nodes share. */
export const createCheckTable = (types: ColumnTypes): Migration => ({
  up: (untyped: Kysely<unknown>) =>
    createTable(untyped as Kysely<Schema>, types, 'claim_check', {
      key: ['handle'],
      columns: [...text('handle', 'repository_key', 'begun_at', 'owner'), ...optionalText('outcome')],
    }),
});

/** Indexes whose order another one has: the id is the order of first publication (evidence/order.ts). */
const needless = ['listing_published', 'listing_namespace'];

/**
 * Counters of namespaces, so that no read counts the listings of one, and what all signals of a row share said once
 * (signals.ts): older rows share nothing.
 */
export const createPublisherCounts = (types: ColumnTypes): Migration => ({
  async up(untyped: Kysely<unknown>) {
    const db = untyped as Kysely<Schema>;
    const columns = [...text('namespace'), ...whole('listings')];
    await createTable(db, types, 'publisher_count', { key: ['namespace'], columns });
    await sql`insert into publisher_count (namespace, listings)
      select namespace, count(*) from listing where withdrawn is null group by namespace`.execute(db);
    for (const index of needless) await db.schema.dropIndex(index).execute();
    await sql`update imported_signal set signals = '{"shared":{},"signals":' || signals || '}'`.execute(db);
  },
});

/** Tables and indexes, the same on both engines; search is each engine's own migration. */
export const createTables = (types: ColumnTypes): Migration => ({
  async up(untyped: Kysely<unknown>) {
    const db = untyped as Kysely<Schema>;
    for (const [table, definition] of tables) await createTable(db, types, table, definition);
    for (const [name, table, columns, unique] of indexes) {
      const index = db.schema
        .createIndex(name)
        .on(table)
        .columns([...columns]);
      await (unique ? index.unique() : index).execute();
    }
    await db.schema
      .createIndex('rating_interaction')
      .on('rating')
      .columns(['source_handle', 'subject_handle', 'interaction_id'])
      .where(sql.ref('is_current'), '=', 1)
      .unique()
      .execute();
    const opened_at = new Date().toISOString();
    await db
      .insertInto('log_head')
      .values({ id: 1, base: 0, size: 0, opened_at, closed_with: null })
      .execute();
  },
});
