import { sql } from 'kysely'

/** Revoked artifacts that a list names. */
const MOST_SOURCES = 10

/** The revoked artifacts that the artifact of a query is built on, the last one first. */
export const revokedSources = sql<readonly string[]>`array(select r.source_id from artifact_reviews r
  where r.artifact_id = artifacts.id order by r.at desc, r.source_id limit ${sql.lit(MOST_SOURCES)})`

/** When the last of them was revoked; null for none. */
export const revokedSourceLast = sql<Date | null>`(select max(r.at) from artifact_reviews r
  where r.artifact_id = artifacts.id)`
