import { sql } from 'kysely'

/** True for a job `j` whose adapter a distillation fits. */
export const HAS_DISTIL = sql<boolean>`j.spec -> 'distil' is not null`

/**
 * The artifacts that the distillation of a job `j` builds on, in a row for each: the student that it continues and the teacher that it
 * asks. Null for a base.
 */
export const DISTIL_SOURCES = sql<string>`unnest(array[j.spec #>> '{distil,student,artifact_id}', j.spec #>> '{distil,teacher,artifact_id}'])`
