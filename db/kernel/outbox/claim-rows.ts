import type { Database } from '../database.ts'
import { service } from '../queries/service.ts'
import { raw } from '../queries/typed.ts'

/**
 * Time that a workflow has for work that is due before the reconciler starts it again, milliseconds. A healthy workflow is
 * at work within a second, so the reconciler does not find its rows.
 */
export const LOOK_GRACE_MS = 60_000
/** Time between two claims of the same rows, milliseconds: longer work costs one signal each time. */
export const LOOK_AGAIN_MS = 600_000

/** The rows of a table that mean work is due. All values are SQL of this program. */
export interface WatchedRows {
  readonly table: string
  readonly key: string
  /** Condition, `$1` the time now and `$2` `LOOK_GRACE_MS` earlier. Read through an index, so that rows without work cost nothing. */
  readonly due: string
  /** Column with the time of the next claim. */
  readonly lookAt: string
  /** The input of the workflow, as the columns of a result. */
  readonly input: string
}

/**
 * Finds rows with work due, longest waiting first, each for one caller at a time, and returns the inputs of their workflows.
 * The same rows are found again after `LOOK_AGAIN_MS`, unless the work is done by then.
 */
export async function claimRows<Input extends object>(
  db: Database,
  { table, key, due, lookAt, input }: WatchedRows,
  page: { readonly limit: number; readonly now: Date },
): Promise<readonly Input[]> {
  const { limit, now } = page
  return await service.send(db, 'claims the rows of all tenants that are due', () =>
    raw<Input>(
      `with due as (
       select ${key} as key from ${table} where ${due}
       order by ${lookAt} nulls first limit $3 for no key update skip locked
     ), claimed as (
       update ${table} set ${lookAt} = $4 where ${key} = any(array(select key from due)) and ${due}
       returning ${input}
     )
     select * from claimed`,
      [now, new Date(now.getTime() - LOOK_GRACE_MS), limit, new Date(now.getTime() + LOOK_AGAIN_MS)],
    ),
  )
}
