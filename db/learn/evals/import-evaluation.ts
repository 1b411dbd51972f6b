import { newId } from '../../../core/kernel/ids.ts'
import type { PackedLog } from '../../../core/learn/evals/logs/read/imported.ts'
import { packOutcomes } from '../../../core/learn/evals/scoring/packed-outcome.ts'
import { TaskConfig } from '../../../core/learn/evals/task/task-config.ts'
import type { EvalDefinition } from '../../../core/learn/evals/evaluation.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireNamespace } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json, searchableJson } from '../../kernel/queries/typed.ts'
import { inAllNamespaces, lockInTransaction } from '../../kernel/transaction.ts'
import { insertRows, requireRoomToKeep } from './create-evaluation.ts'
import { storeOutcomes } from './run-evaluation.ts'

/** Rows whose outcomes are stored in one statement. */
const BATCH = 500

/**
 * Stores what a log tells as a finished evaluation whose source is `asserted`: nothing of it is measured here. Returns its id.
 * Throws `limit_reached`, and `insufficient_scope` for a namespace outside of the caller's.
 */
export async function importEvaluation(
  op: Operation,
  {
    namespace,
    name,
    log,
    limits,
  }: { readonly namespace: string; readonly name: string; readonly log: PackedLog; readonly limits: Limits },
): Promise<string> {
  requireNamespace(op, namespace)
  const id = newId('evl')
  const now = op.now()
  await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    await lockInTransaction(tx, `evaluations ${op.tenantId}`)
    await inAllNamespaces(tx, 'the limit is of the whole tenant', async () => await requireRoomToKeep(tx, op, limits))
    await tx.q
      .insertInto('evaluations')
      .values({
        id,
        tenant_id: op.tenantId,
        namespace,
        name,
        state: 'succeeded',
        source: 'asserted',
        definition: searchableJson(definitionOf(log)),
        data_hash: Buffer.from(log.dataHash),
        row_count: log.rows.length,
        scored_count: 0,
        cut_tokens: 0,
        summary: json({ figures: log.figures, passes: [], groups: [] }),
        created_at: now,
        started_at: now,
        finished_at: now,
      })
      .execute()
    await insertRows(tx, { id, tenantId: op.tenantId, namespace }, log.rows)
    for (let from = 0; from < log.rows.length; from += BATCH) {
      const some = log.rows.slice(from, from + BATCH)
      const places = some.map(({ outcome, isRight }, at) => ({ place: from + at, outcome, isRight, cutTokens: 0 }))
      await storeOutcomes(tx, op, id, packOutcomes(places))
    }
    await recordAudit(tx, op, {
      action: 'evaluation.imported',
      target: id,
      payload: { evaluation_id: id, namespace, model: log.model.slice(0, 200), rows: log.rows.length },
    })
  })
  return id
}

function definitionOf({ model, tasks }: PackedLog): EvalDefinition {
  return {
    target: { kind: 'logged', model: model.slice(0, 500) },
    set: {
      tasks: tasks.map((task) => TaskConfig.parse({ task: task.slice(0, 200), doc_to_text: '', doc_to_target: '' })),
      groups: [],
    },
    seed: 0,
    fewShots: null,
    limit: null,
    sliceBy: null,
    clusterBy: null,
  }
}
