import type { Database } from '../database.ts'
import type { PokedFamily } from './request-poke.ts'

/** A workflow that has rows to work on, whatever became of its last run. */
export interface DueWorkflow {
  readonly family: PokedFamily
  readonly workflowId: string
  readonly tenantId: string | null
}

/**
 * The time that a workflow has for work that is due before the reconciler starts it, milliseconds. A healthy workflow is
 * at work within a second, so its rows are not found.
 */
export const LOOK_GRACE_MS = 60_000
/** The time between two looks at the same rows, milliseconds: work that takes longer costs one signal each time. */
export const LOOK_AGAIN_MS = 600_000

/** The rows of a family that mean work is due. `$1` is the time now, `$2` is `LOOK_GRACE_MS` earlier. */
interface Watch {
  readonly table: string
  readonly key: string
  /** Read through an index, so that rows without work cost nothing. */
  readonly due: string
  /** The column that holds the time of the next look. */
  readonly lookAt: string
  readonly workflowId: string
  readonly tenantId: string
}

const WATCHES: Readonly<Record<PokedFamily, Watch>> = {
  mail: {
    table: 'mails',
    key: 'id',
    due: `state = 'queued' and created_at <= $2 and (look_at is null or look_at <= $1)`,
    lookAt: 'look_at',
    workflowId: 'id',
    tenantId: 'tenant_id',
  },
  dunning: {
    table: 'dunnings',
    key: 'id',
    due: 'next_step_at <= $2 and (look_at is null or look_at <= $1)',
    lookAt: 'look_at',
    workflowId: 'id',
    tenantId: 'tenant_id',
  },
  // Ends of periods and calls to the processor that are due, as `noteRemaining` (db/billing/remaining.ts) wrote it down.
  billing: {
    table: 'billing_accounts',
    key: 'tenant_id',
    due: 'look_at <= $1 and $2::timestamptz is not null',
    lookAt: 'look_at',
    workflowId: `tenant_id || '/billing'`,
    tenantId: 'tenant_id',
  },
  // From the request for a deletion until its workflow has ended what ran and removed what was due.
  deletion: {
    table: 'tenants',
    key: 'id',
    due: 'deletion_look_at <= $1 and $2::timestamptz is not null',
    lookAt: 'deletion_look_at',
    workflowId: `id || '/deletion'`,
    tenantId: 'id',
  },
}

/** Every family whose rows are looked at. */
export const WATCHED_FAMILIES = Object.keys(WATCHES).filter((name): name is PokedFamily => Object.hasOwn(WATCHES, name))

/**
 * Finds the workflows of a family that have work due, longest waiting first, each for one caller at a time. The same rows
 * are found again after `LOOK_AGAIN_MS`, unless the work is done by then.
 */
export async function claimDueWorkflows(
  db: Database,
  input: { readonly family: PokedFamily; readonly batch: number; readonly now: Date },
): Promise<readonly DueWorkflow[]> {
  const { family, batch, now } = input
  const { table, key, due, lookAt, workflowId, tenantId } = WATCHES[family]
  const rows = await db.query<Omit<DueWorkflow, 'family'>>(
    `with due as (
       select ${key} as key from ${table} where ${due}
       order by ${lookAt} nulls first limit $3 for no key update skip locked
     ), claimed as (
       update ${table} set ${lookAt} = $4 where ${key} = any(array(select key from due)) and ${due}
       returning ${workflowId} as "workflowId", ${tenantId} as "tenantId"
     )
     select * from claimed`,
    [now, new Date(now.getTime() - LOOK_GRACE_MS), batch, new Date(now.getTime() + LOOK_AGAIN_MS)],
  )
  return rows.map((row) => ({ family, ...row }))
}
