import type { Database } from '../database.ts'
import { prepared } from '../queries/compiled.ts'
import { service } from '../queries/service.ts'
import type { Transaction } from '../transaction.ts'

/** A request in the outbox. */
export interface RequestedStart {
  readonly workflowId: string
  /** Name of the workflow family. */
  readonly family: string
  readonly input: unknown
  /** Grows with every request for the same workflow; 1 for the first after a removal. */
  readonly version: number
  /** When the first of the requests arrived: names the row, whose id may be used again after its removal. */
  readonly createdAt: Date
}

/** The outbox of a database, for starting workflows. */
export interface Outbox {
  /** Reads the request for a workflow; null when there is none. */
  find(workflowId: string): Promise<RequestedStart | null>
  /** Removes a completed request. A newer request stays, also when another process has removed this one before. */
  remove(start: RequestedStart): Promise<void>
  /** Claims the due requests of a family, longest due first. Each goes to one caller for `CLAIM_MS`. */
  claimDue(input: {
    readonly family: string
    readonly batch: number
    readonly now: Date
  }): Promise<readonly RequestedStart[]>
}

/** Time that one reconciler has for its claimed requests before another one claims them, milliseconds. */
const CLAIM_MS = 15_000

const COLUMNS = ['workflow_id as workflowId', 'family', 'input', 'version', 'created_at as createdAt'] as const
const WHY = 'one outbox starts the workflows of all tenants'

const requestOf = prepared((q, { workflowId }: { readonly workflowId: string }) =>
  q.selectFrom('outbox').select(COLUMNS).where('workflow_id', '=', workflowId),
)

const removeRequest = prepared((q, key: Pick<RequestedStart, 'workflowId' | 'version' | 'createdAt'>) =>
  q
    .deleteFrom('outbox')
    .where('workflow_id', '=', key.workflowId)
    .where('version', '=', key.version)
    .where('created_at', '=', key.createdAt),
)

const withdrawRequest = prepared((q, { workflowId }: { readonly workflowId: string }) =>
  q.deleteFrom('outbox').where('workflow_id', '=', workflowId),
)

/** Opens the outbox of a database. */
export function openOutbox(db: Database): Outbox {
  return {
    async find(workflowId) {
      const [row] = await service.read(db, WHY, () => requestOf({ workflowId }))
      return row ?? null
    },
    async remove({ workflowId, version, createdAt }) {
      await service.send(db, WHY, () => removeRequest({ workflowId, version, createdAt }))
    },
    async claimDue({ family, batch, now }) {
      return await service.write(
        db,
        WHY,
        async (tx) =>
          await tx.q
            .with('due', (q) =>
              q
                .selectFrom('outbox')
                .select('workflow_id as id')
                .where('family', '=', family)
                .where('due_at', '<=', now)
                .orderBy('due_at')
                .limit(batch)
                .forUpdate()
                .skipLocked(),
            )
            .updateTable('outbox')
            .from('due')
            .set((of) => ({ due_at: new Date(now.getTime() + CLAIM_MS), attempts: of('attempts', '+', 1) }))
            .whereRef('workflow_id', '=', 'due.id')
            .returning(COLUMNS)
            .execute(),
      )
    },
  }
}

/** Withdraws the request for a workflow whose row is over, with the next statement. */
export function withdrawStart(tx: Transaction, workflowId: string): void {
  tx.post(withdrawRequest({ workflowId }))
}
