import { sql } from 'kysely'
import { ACCOUNTS_ERRORS } from '../../../../core/accounts/errors.ts'
import { checkMove, type Move } from '../../../../core/compile/artifacts/life/check-move.ts'
import { isInForce, type ArtifactState } from '../../../../core/compile/artifacts/life/states.ts'
import type { Limits } from '../../../../core/compile/limits.ts'
import { Lifecycle } from '../../../../core/compile/workflows.ts'
import { invalidField, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { describeActor, requireScope, type Operation } from '../../../kernel/operation.ts'
import { requestStart } from '../../../kernel/outbox/request-start.ts'
import { notify } from '../../../kernel/queries/typed.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import { addRevocation } from './revocations.ts'

/** A move of an artifact, as a caller asks for it. */
export interface MoveOrder extends Move {
  readonly artifactId: string
  readonly evidenceId: string | null
  readonly limits: Limits
}

/**
 * Moves an artifact to another state: its row, the history, the audit line, the entry of the public list of a revoked one, and
 * the request for the workflow that carries the effects out, in one transaction. Of several moves at once, each sees the
 * state that the one before it left. On every process, runs of a revoked artifact are refused from the notification of
 * this commit on. Throws `insufficient_scope`; `not_found` for the artifact, and for a successor with the field;
 * `invalid_transition`, `validation_failed`, and `limit_reached` for one transition too many, except to `revoked`.
 */
export async function moveArtifact(op: Operation, order: MoveOrder): Promise<void> {
  requireScope(op, 'artifacts:write')
  await op.write(async (tx) => {
    const [artifact, successor] = await lockArtifacts(tx, op, order)
    const to = checkMove(artifact.state, order)
    if (successor !== null) requireSuccessor(successor, order)
    await record(tx, op, { artifact, to, order })
  })
}

interface LockedArtifact {
  readonly id: string
  readonly state: ArtifactState
  readonly conceptId: string
  readonly cid: string
  readonly artifactHash: Sha256
}

/** Locks the artifact and its successor in the order of their ids, so that two that name each other do not wait in a circle. */
async function lockArtifacts(
  tx: Transaction,
  op: Operation,
  { artifactId, successorId }: MoveOrder,
): Promise<readonly [LockedArtifact, LockedArtifact | null]> {
  const rows = await tx.q
    .selectFrom('artifacts')
    .select(['id', 'state', 'concept_id as conceptId', 'cid'])
    .select(sql<Sha256>`coalesce(manifest ->> 'artifact_hash', archive_sha256)`.as('artifactHash'))
    .where('id', 'in', successorId === null ? [artifactId] : [artifactId, successorId])
    .where('tenant_id', '=', op.tenantId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const found = new Map(rows.map((row): [string, LockedArtifact] => [row.id, row]))
  const artifact = found.get(artifactId)
  if (artifact === undefined) throw KERNEL_ERRORS.not_found('no such artifact')
  if (successorId === null) return [artifact, null]
  const successor = found.get(successorId)
  if (successor === undefined) throw invalidField('successor_id', 'no such artifact', KERNEL_ERRORS.not_found)
  return [artifact, successor]
}

/** A successor in force cannot be superseded by one before it, so successors never form a circle. */
function requireSuccessor({ id, state }: LockedArtifact, { artifactId }: MoveOrder): void {
  if (id === artifactId) throw invalidField('successor_id', 'must be another artifact')
  if (!isInForce(state)) throw invalidField('successor_id', `must be in force: the artifact is ${state}`)
}

async function record(
  tx: Transaction,
  op: Operation,
  { artifact, to, order }: { readonly artifact: LockedArtifact; readonly to: ArtifactState; readonly order: MoveOrder },
): Promise<void> {
  const { id: artifactId, state: from } = artifact
  const { evidenceId, successorId, reason } = order
  const at = op.now()
  const position = await nextPosition(tx, artifactId, to, order.limits)
  const isRevoked = to === 'revoked'
  const hasEffects = !isInForce(to)
  await tx.q
    .updateTable('artifacts')
    .set({ state: to, ...(isRevoked && { revoked_at: at, revoked_reason: reason }) })
    .where('id', '=', artifactId)
    .execute()
  await tx.q
    .insertInto('artifact_transitions')
    .values({
      artifact_id: artifactId,
      position,
      tenant_id: op.tenantId,
      from_state: from,
      to_state: to,
      actor: describeActor(op.actor),
      reason,
      evidence_id: evidenceId,
      successor_id: successorId,
      at,
      effects_at: hasEffects ? null : at,
    })
    .execute()
  if (hasEffects) await requestStart(tx, Lifecycle, { artifactId, tenantId: op.tenantId })
  if (isRevoked) {
    tx.post(tx.q.selectNoFrom(notify('svc_concepts', artifact.conceptId).as('notified')))
    await addRevocation(tx, { cid: artifact.cid, artifactHash: artifact.artifactHash, at })
  }
  await recordAudit(tx, op, {
    action: isRevoked ? 'artifact.revoked' : 'artifact.moved',
    target: artifactId,
    payload: {
      artifact_id: artifactId,
      from,
      to,
      position,
      ...(successorId !== null && { successor_id: successorId }),
    },
  })
}

/** An artifact that must be revoked always can be. */
async function nextPosition(tx: Transaction, artifactId: string, to: ArtifactState, limits: Limits): Promise<number> {
  const last = await tx.q
    .selectFrom('artifact_transitions')
    .select((of) => of.fn.max<number | null>('position').as('position'))
    .where('artifact_id', '=', artifactId)
    .executeTakeFirst()
  const position = (last?.position ?? 0) + 1
  const most = limits.transitions_per_artifact
  if (position > most && to !== 'revoked') {
    throw ACCOUNTS_ERRORS.limit_reached(`the artifact has had ${most} transitions; it can still be revoked`, {
      details: { max: most },
    })
  }
  return position
}
