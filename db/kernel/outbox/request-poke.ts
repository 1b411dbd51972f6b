import type { Database } from '../database.ts'
import type { Transaction } from '../transaction.ts'

/** Workflows that rows ask for: each reads its rows, does what they say, and may be told to look again. */
export type PokedFamily = 'mail' | 'billing' | 'dunning' | 'deletion'

/** What the outbox says of a workflow. */
export interface Poke {
  readonly family: PokedFamily
  readonly workflowId: string
  readonly tenantId: string | null
  /** Grows with every request for the same workflow. */
  readonly version: number
}

/** The process that asked has this long to reach Temporal before a reconciler does it, milliseconds. */
const GRACE_MS = 3000
/** How long one reconciler has for what it took before another one takes it again, milliseconds. */
const CLAIM_MS = 15_000

const POKE = `family, workflow_id as "workflowId", tenant_id as "tenantId", version`

/**
 * Asks for a workflow, or that the running one looks at its rows again, in the transaction of what it will find there.
 * It happens soon after the commit, and if need be more than once: what is poked reads rows, so that does no harm.
 */
export async function requestPoke(
  tx: Transaction,
  db: Database,
  input: {
    readonly family: PokedFamily
    readonly workflowId: string
    readonly tenantId: string | null
    readonly now: Date
  },
): Promise<void> {
  const { family, workflowId, tenantId, now } = input
  await tx.em.flush()
  await tx.query(
    `insert into workflow_starts (workflow_id, family, tenant_id, version, attempts, created_at, due_at)
     values ($1, $2, $3, 1, 0, $4, $5)
     on conflict (workflow_id) do update
     set version = workflow_starts.version + 1, attempts = 0, due_at = excluded.due_at`,
    [workflowId, family, tenantId, now, new Date(now.getTime() + GRACE_MS)],
  )
  tx.afterCommit(() => db.announcePoke(workflowId))
}

/** What the outbox says of a workflow; null when it asks for nothing. */
export async function findPoke(db: Database, workflowId: string): Promise<Poke | null> {
  const [row] = await db.query<Poke>(`select ${POKE} from workflow_starts where workflow_id = $1`, [workflowId])
  return row ?? null
}

/** Notes that a workflow was reached; a request that came meanwhile stays. */
export async function markPoked(db: Database, poke: Poke): Promise<void> {
  await db.query('delete from workflow_starts where workflow_id = $1 and version = $2', [poke.workflowId, poke.version])
}

/** Workflows that nobody has reached in time, each given to one caller at a time. */
export async function duePokes(
  db: Database,
  input: { readonly batch: number; readonly now: Date },
): Promise<readonly Poke[]> {
  return await db.query<Poke>(
    `with due as (
       select workflow_id as id from workflow_starts where due_at <= $1 order by due_at limit $2 for update skip locked
     )
     update workflow_starts set due_at = $3, attempts = attempts + 1 from due where workflow_id = due.id
     returning ${POKE}`,
    [input.now, input.batch, new Date(input.now.getTime() + CLAIM_MS)],
  )
}
