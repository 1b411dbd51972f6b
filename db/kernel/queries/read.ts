import type { CompiledQuery } from 'kysely'
import { BUILDER, type Reads, type Statement } from './typed.ts'

/** One query, or several that are sent together. */
export type Reading = Statement<unknown> | readonly Statement<unknown>[]

/** The rows of a query; for several the rows of each. */
export type RowsOf<R extends Reading> =
  R extends Statement<infer Row>
    ? readonly Row[]
    : { readonly [I in keyof R]: R[I] extends Statement<infer Row> ? readonly Row[] : never }

function isOne(reading: Reading): reading is Statement<unknown> {
  return 'compile' in reading
}

/** Returns the queries of a reading, one after another. */
export function statementsOf(reading: Reading): readonly Statement<unknown>[] {
  return isOne(reading) ? [reading] : reading
}

/** A source of reads: an operation, a transaction, the service. */
export interface Reader {
  read<const R extends Reading>(build: (queries: Reads) => R): Promise<RowsOf<R>>
}

/** Reads by sending one statement after another. */
export function readerOver(run: (query: CompiledQuery) => Promise<readonly object[]>): Reader {
  return {
    async read(build) {
      const built = build(BUILDER)
      const rows: Rows[] = []
      for (const statement of statementsOf(built)) rows.push(await run(statement.compile(BUILDER)))
      return answerOf(built, rows)
    },
  }
}

/** Returns the rows of each query in the form of its reading. */
export function answerOf<R extends Reading>(built: R, rows: readonly Rows[]): RowsOf<R> {
  return (isOne(built) ? rows[0] : rows) as RowsOf<R>
}

type Rows = readonly object[]
