import type { Database, SqlRunner } from '../database.ts'

/** A request in the outbox. */
export interface RequestedStart {
  readonly workflowId: string
  /** Name of the workflow family. */
  readonly family: string
  readonly input: unknown
  /** Grows with every request for the same workflow. */
  readonly version: number
}

/** The outbox of a database, as those who start workflows use it. */
export interface Outbox {
  /** Reads the request for a workflow; null when there is none. */
  find(workflowId: string): Promise<RequestedStart | null>
  /** Removes a request that was carried out. A request that came meanwhile stays. */
  remove(start: RequestedStart): Promise<void>
  /** Takes the requests of a family that are due, longest due first. Each goes to one caller for `CLAIM_MS`. */
  claimDue(input: {
    readonly family: string
    readonly batch: number
    readonly now: Date
  }): Promise<readonly RequestedStart[]>
}

/** Time that one reconciler has for the requests that it took before another one takes them, milliseconds. */
const CLAIM_MS = 15_000

const COLUMNS = 'workflow_id as "workflowId", family, input, version'

/** Opens the outbox of a database. */
export function openOutbox(db: Database): Outbox {
  return {
    async find(workflowId) {
      const [row] = await db.query<RequestedStart>(`select ${COLUMNS} from outbox where workflow_id = $1`, [workflowId])
      return row ?? null
    },
    async remove({ workflowId, version }) {
      await db.query('delete from outbox where workflow_id = $1 and version = $2', [workflowId, version])
    },
    async claimDue({ family, batch, now }) {
      return await db.query<RequestedStart>(
        `with due as (
           select workflow_id as id from outbox where family = $1 and due_at <= $2
           order by due_at limit $3 for update skip locked
         )
         update outbox set due_at = $4, attempts = attempts + 1 from due where workflow_id = due.id
         returning ${COLUMNS}`,
        [family, now, batch, new Date(now.getTime() + CLAIM_MS)],
      )
    },
  }
}

/** Withdraws the request for a workflow whose row is over. */
export async function withdrawStart(sql: SqlRunner, workflowId: string): Promise<void> {
  await sql.query('delete from outbox where workflow_id = $1', [workflowId])
}
