/** Otherwise stored unchanged. */
export interface Column<WrittenValue, Stored> {
  readonly encode?: (value: WrittenValue) => Stored;
  readonly decode?: (stored: Stored) => WrittenValue;
}

export const text: Column<string, string> = {};
export const oneOf = <WrittenValue extends string>(): Column<WrittenValue, WrittenValue> => ({});
/** Up to 2^53. */
export const integer: Column<number, number> = {};
export const flag: Column<boolean, number> = { encode: Number, decode: (stored) => stored === 1 };
export const json = <WrittenValue>(): Column<WrittenValue, string> => ({
  encode: JSON.stringify,
  decode: JSON.parse,
});
/** Without spaces, which are put between them. */
export const words = <WrittenValue extends string>(): Column<readonly WrittenValue[], string> => ({
  encode: (value) => value.join(' '),
  decode: (stored) => stored.split(' ').filter(Boolean) as WrittenValue[],
});
/** Null if absent. */
export const optional = <WrittenValue, Stored>(column: Column<WrittenValue, Stored>) =>
  column as Column<WrittenValue | undefined, Stored | null>;

type Optional<WrittenValue> = {
  [K in keyof WrittenValue]: undefined extends WrittenValue[K] ? K : never;
}[keyof WrittenValue];
type TableMembers<C> = {
  readonly [K in keyof C]: C[K] extends Column<infer WrittenValue, infer _> ? WrittenValue : never;
};

type WrittenValue<C> = Omit<TableMembers<C>, Optional<TableMembers<C>>> &
  Partial<Pick<TableMembers<C>, Optional<TableMembers<C>>>>;
type TableRow<C, Derived> = {
  -readonly [K in keyof C]: C[K] extends Column<infer _, infer Stored> ? Stored : never;
} & {
  -readonly [K in keyof Derived]: Derived[K] extends (value: never) => infer Stored ? Stored : never;
};

export type TableValue<T> = T extends { encode(value: infer V): unknown } ? { [K in keyof V]: V[K] } : never;
export type RowOf<T> = T extends { encode(value: never): infer R } ? { [K in keyof R]: R[K] } : never;

/** `derived` columns follow from the value and are not decoded. */
export function rowCodec<
  // biome-ignore lint/suspicious/noExplicitAny: columns of any type
  C extends Readonly<Record<string, Column<any, any>>>,
  Derived extends Readonly<Record<string, (value: WrittenValue<C>) => string | number>> = Record<
    never,
    never
  >,
>(columns: C, derived?: Derived) {
  const names = Object.keys(columns);
  const codecs = Object.values(columns);
  const computed = Object.entries(derived ?? {});
  const encodeMember = (at: number, value: unknown): unknown => {
    const encode = codecs[at]?.encode;
    return value === undefined ? null : encode ? encode(value) : value;
  };
  return {
    encode(value: WrittenValue<C>): TableRow<C, Derived> {
      const row: Record<string, unknown> = {};
      for (const [at, name] of names.entries())
        row[name] = encodeMember(at, value[name as keyof typeof value]);
      for (const [name, compute] of computed) row[name] = compute(value);
      return row as TableRow<C, Derived>;
    },
    /** Undefined becomes null. */
    encodeChange(change: Partial<WrittenValue<C>>): Partial<TableRow<C, Derived>> {
      const set = [...names.entries()].filter(([, name]) => name in change);
      return Object.fromEntries(
        set.map(([at, name]) => [name, encodeMember(at, change[name as keyof typeof change])]),
      ) as Partial<TableRow<C, Derived>>;
    },
    /** Null becomes undefined. */
    decode<R extends Partial<TableRow<C, Derived>>>(
      row: R,
    ): Pick<WrittenValue<C>, keyof R & keyof WrittenValue<C>> {
      const value: Record<string, unknown> = {};
      for (let at = 0; at < names.length; at++) {
        const name = names[at] as string;
        const stored = row[name as keyof R];
        if (stored === undefined) continue;
        const decode = codecs[at]?.decode;
        value[name] = stored === null ? undefined : decode ? decode(stored) : stored;
      }
      return value as Pick<WrittenValue<C>, keyof R & keyof WrittenValue<C>>;
    },
  };
}

export interface TableBackup {
  readonly key: readonly string[];
  /** Restored last, because its rows mark a complete database. */
  readonly isLast: boolean;
  readonly toRestored: (row: StoredRow) => StoredRow;
}

export type StoredRow = Readonly<Record<string, string | number | null>>;

export interface AnyTable {
  readonly name: string;
  readonly backup?: TableBackup | undefined;
}

/** In no backup. */
export const noBackup = [] as const;

/** Backups are ordered by `key`. */
export function table<
  Name extends string,
  // biome-ignore lint/suspicious/noExplicitAny: columns of any type
  C extends Readonly<Record<string, Column<any, any>>>,
  Derived extends Readonly<Record<string, (value: WrittenValue<C>) => string | number>> = Record<
    never,
    never
  >,
>(
  name: Name,
  key: readonly (keyof NoInfer<C> & string)[],
  columns: C,
  {
    derived,
    isLast = false,
    toRestored = (row) => row,
  }: { readonly derived?: Derived } & Partial<Omit<TableBackup, 'key'>> = {},
) {
  const backup: TableBackup | undefined = key.length === 0 ? undefined : { key, isLast, toRestored };
  return { ...rowCodec(columns, derived), name, backup };
}

export type RowsOf<Tables extends readonly AnyTable[]> = {
  [One in Tables[number] as One['name']]: RowOf<One>;
};
