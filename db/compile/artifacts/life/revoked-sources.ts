import { sql } from 'kysely'
import { BUILDER } from '../../../kernel/queries/typed.ts'

/** Revoked artifacts that a list names. */
const MOST_SOURCES = 10

const REVIEWS = BUILDER.selectFrom('artifact_reviews as r').where('r.artifact_id', '=', sql.ref<string>('artifacts.id'))

/** The revoked artifacts that the artifact of a query is built on, the last one first. */
export const revokedSources = sql<readonly string[]>`array${REVIEWS.select('r.source_id')
  .orderBy('r.at', 'desc')
  .orderBy('r.source_id')
  .limit(sql.lit(MOST_SOURCES))}`

/** When the last of them was revoked; null for none. */
export const revokedSourceLast = REVIEWS.select((of) => of.fn.max('r.at').as('at'))
