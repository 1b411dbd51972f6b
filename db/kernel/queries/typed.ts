import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type AliasedRawBuilder,
  type Dialect,
  type Expression,
  type Insertable,
  type QueryCreator,
  type QueryExecutorProvider,
  type RawBuilder,
} from 'kysely'
import { listText, type ListText, type ListValue } from '../../../core/kernel/json/list-text.ts'
import { storableJson } from '../../../core/kernel/json/storable.ts'
import type { Channel } from '../notifications.ts'
import type { Tables } from '../../schema.ts'
import { rememberPlan } from './prepared.ts'

/** Builds queries on the tables of the service, with SQL's names for tables and columns. */
export type Queries = Pick<
  Kysely<Tables>,
  'selectFrom' | 'selectNoFrom' | 'insertInto' | 'updateTable' | 'deleteFrom' | 'with' | 'withRecursive' | 'fn'
> &
  QueryExecutorProvider

/** Builds queries that read. */
export type Reads = Pick<QueryCreator<Tables>, 'selectFrom' | 'selectNoFrom' | 'with' | 'withRecursive'> &
  Pick<Queries, 'fn'> &
  QueryExecutorProvider

/** A built query that was not sent yet: of the builder, of Kysely's `sql`, or of `raw`. */
export interface Statement<Row> {
  compile(queries: QueryExecutorProvider): CompiledQuery<Row>
}

/** Compiles for Postgres and sends nothing. */
export const DIALECT: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
}

/** Builds queries that read or write, and sends none. */
export const BUILDER: Queries = new Kysely<Tables>({ dialect: DIALECT })

/**
 * Makes a statement from text. Values are bound, never pasted into it. Each use is listed in
 * `test/house/statements/raw.test.ts`.
 */
export function raw<Row extends object>(text: string, values: readonly unknown[] = []): Statement<Row> {
  return { compile: () => CompiledQuery.raw(text, [...values]) as CompiledQuery<Row> }
}

/** A value as `rowInsert` binds it: a document also as its JSON text, which the column then holds byte by byte. */
type Bound<V> = V extends Date | Uint8Array ? V : V extends object ? V | string : V

/**
 * Compiles the insert of one row into a table once, and each connection plans it once. Returns a function that binds the
 * values of a row to it: for statements of almost every transaction, where building the query takes as long as its round
 * trip.
 */
export function rowInsert<Table extends keyof Tables, Column extends Extract<keyof Insertable<Tables[Table]>, string>>(
  table: Table,
  columns: readonly Column[],
): (row: { readonly [C in Column]: Bound<Insertable<Tables[Table]>[C]> }) => Statement<object> {
  const row = Object.fromEntries(columns.map((column) => [column, null])) as Insertable<Tables[Table]>
  const { sql: text } = BUILDER.insertInto(table).values(row).compile()
  rememberPlan(text)
  return (values) =>
    raw(
      text,
      columns.map((column) => values[column]),
    )
}

/** A list of values that a query binds as one parameter: its text, see `listText`. */
export interface List<T> {
  readonly type: ListType
  readonly text: string
  /** Only in the type: the values of the list. */
  readonly of?: T
}

type ListType =
  | 'text'
  | 'integer'
  | 'bigint'
  | 'double precision'
  | 'boolean'
  | 'timestamptz'
  | 'json'
  | 'uuid'
  | 'bytea'

/** Binds values as one list of a SQL type. */
export function list<T extends ListValue>(type: ListType, values: readonly T[]): List<T> {
  return { type, text: listText(values) }
}

/** The same for a list that was written elsewhere, by `listText`. */
export function writtenList<T extends ListValue>(type: ListType, text: ListText<T>): List<T> {
  return { type, text }
}

type RowOf<Columns extends Readonly<Record<string, List<unknown>>>> = {
  [C in keyof Columns]: Columns[C] extends List<infer T> ? T : never
}

/** Turns lists of equal length into a table with as many rows; its column `place` counts them from 1. */
export function unnest<Alias extends string, const Columns extends Readonly<Record<string, List<unknown>>>>(
  alias: Alias,
  columns: Columns,
): AliasedRawBuilder<RowOf<Columns> & { place: number }, Alias> {
  const lists = Object.values(columns).map(({ type, text }) => sql`${sql.val(text)}::${sql.raw(type)}[]`)
  const names = [...Object.keys(columns), 'place'].map((name) => sql.ref(name))
  return sql<RowOf<Columns> & { place: number }>`unnest(${sql.join(lists)}) with ordinality`.as<Alias>(
    sql`${sql.ref(alias)}(${sql.join(names)})`,
  )
}

/**
 * Notifies the processes that listen on a channel when the transaction commits; for the columns that a query returns.
 */
export function notify(channel: Channel, payload: string | Expression<string>): RawBuilder<void> {
  return sql<void>`pg_notify(${channel}, ${payload})`
}

/**
 * Returns a document as the value of a `json` or `jsonb` column; arrays and scalars too, which the driver would not
 * write as JSON.
 */
export function json<T>(value: T): RawBuilder<T> {
  return sql<T>`${JSON.stringify(value)}`
}

/** The same for a document that queries look into: its texts are storable, see `storableJson`. */
export function searchableJson<T extends object>(value: T): RawBuilder<T> {
  return sql<T>`${storableJson(value)}`
}
