import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { runTerms, type RunTerms } from '../../../core/compile/stages/pool/run-terms.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { targetName, type EvalDefinition } from '../../../core/learn/evals/evaluation.ts'
import type { PackedRow } from '../../../core/learn/evals/prompts/packed-row.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { Evaluate } from '../../../core/learn/workflows.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireNamespace } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { list, searchableJson, unnest } from '../../kernel/queries/typed.ts'
import { countForgotten } from '../datasets/forget/pending-forgets.ts'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { requireCompute } from '../../compile/compute/allowance.ts'
import { recipeKinds } from '../../compile/compute/recipe-kinds.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/** An evaluation, as validated. */
export interface CreateEvaluationInput {
  readonly namespace: string
  readonly name: string
  readonly definition: EvalDefinition
  readonly rows: readonly PackedRow[]
  readonly limits: Limits
  /** The dataset whose rows they are, and the number of its forgotten captures when they were read. */
  readonly forgetsSeen?: { readonly datasetId: string; readonly count: number }
}

/** Rows of one statement. */
const BATCH = 500

/**
 * Accepts an evaluation: its row, its prompts, the request for its workflow and the audit row in one transaction. Returns its id.
 * Throws `too_many_evaluations`, `limit_reached`, `compute_exhausted` where a base answers, `insufficient_scope` for a namespace outside of the caller's, and
 * `invalid_credential` when the tenant is deleted.
 */
export async function createEvaluation(op: Operation, input: CreateEvaluationInput): Promise<string> {
  const { namespace, name, definition, rows, limits } = input
  requireNamespace(op, namespace)
  const id = newId('evl')
  const now = op.now()
  await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    if (input.forgetsSeen !== undefined) await requireUnforgotten(tx, op, input.forgetsSeen)
    const terms = await termsOf(tx, op, definition)
    if (terms.isMetered) await requireCompute(tx, { tenantId: op.tenantId, limits, now })
    await lockInTransaction(tx, `evaluations ${op.tenantId}`)
    await inAllNamespaces(tx, 'the limits are of the whole tenant', async () => {
      await requireRoomToRun(tx, op, limits)
      await requireRoomToKeep(tx, op, limits)
    })
    await tx.q
      .insertInto('evaluations')
      .values({
        id,
        tenant_id: op.tenantId,
        namespace,
        name,
        state: 'queued',
        definition: searchableJson(definition),
        data_hash: createHash('sha256')
          .update(Buffer.concat(rows.map(({ hash }) => hash)))
          .digest(),
        row_count: rows.length,
        scored_count: 0,
        cut_tokens: 0,
        // Nothing is spent until a model without a known price answers.
        cost_usd_micros: 0,
        created_at: now,
      })
      .execute()
    await insertRows(tx, { id, tenantId: op.tenantId, namespace }, rows)
    const target = targetName(definition.target)
    await requestStart(tx, Evaluate, {
      evaluationId: id,
      tenantId: op.tenantId,
      rows: rows.length,
      target,
      ...(definition.target.kind === 'model' && { asksModel: true }),
      attempt: 1,
      takesTurns: terms.takesTurns,
    })
    await recordAudit(tx, op, {
      action: 'evaluation.started',
      target: id,
      payload: { evaluation_id: id, namespace, target, rows: rows.length },
    })
  })
  return id
}

/** Returns the terms on which the target of an evaluation answers. */
export async function termsOf(from: Reader, op: Operation, { target }: EvalDefinition): Promise<RunTerms> {
  return runTerms([target], await recipeKinds(from, op.tenantId, [target]))
}

/** Inserts the rows of an evaluation in their order, some in each statement. */
export async function insertRows(
  tx: Transaction,
  owner: { readonly id: string; readonly tenantId: string; readonly namespace: string },
  rows: readonly PackedRow[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += BATCH) {
    insertSome(tx, { ...owner, from }, rows.slice(from, from + BATCH))
    await turn()
  }
}

function insertSome(
  tx: Transaction,
  owner: { readonly id: string; readonly tenantId: string; readonly namespace: string; readonly from: number },
  rows: readonly PackedRow[],
): void {
  const given = unnest('r', {
    at: list(
      'integer',
      rows.map((_, index) => owner.from + index),
    ),
    task: list(
      'text',
      rows.map(({ task }) => task),
    ),
    row_hash: list(
      'bytea',
      rows.map(({ hash }) => Buffer.from(hash)),
    ),
    sample: list(
      'json',
      rows.map(({ sample }) => sample),
    ),
  })
  tx.post(
    tx.q
      .insertInto('evaluation_rows')
      .columns(['evaluation_id', 'tenant_id', 'namespace', 'place', 'task', 'row_hash', 'sample'])
      .expression((q) =>
        q
          .selectFrom(given)
          .select((of) => [
            of.val(owner.id).as('evaluation_id'),
            of.val(owner.tenantId).as('tenant_id'),
            of.val(owner.namespace).as('namespace'),
            'at as place',
            'task',
            'row_hash',
            'sample',
          ]),
      ),
  )
}

/** Rows that were forgotten while the prompts were made must not be stored in them. */
async function requireUnforgotten(
  tx: Transaction,
  op: Operation,
  seen: NonNullable<CreateEvaluationInput['forgetsSeen']>,
): Promise<void> {
  if ((await countForgotten(tx, op.tenantId, seen.datasetId)) === seen.count) return
  throw COMPILE_ERRORS.dataset_not_ready('rows of the dataset were forgotten meanwhile; send the call again')
}

/** Throws `too_many_evaluations` where the tenant has no room for one more that runs; its caller holds the lock. */
export async function requireRoomToRun(tx: Transaction, { tenantId }: Operation, limits: Limits): Promise<void> {
  const [running] = await tx.read((q) =>
    q
      .selectFrom('evaluations')
      .select(q.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('finished_at', 'is', null),
  )
  const max = limits.unfinished_evaluations_per_tenant
  if ((running?.count ?? 0) < max) return
  throw LEARN_ERRORS.too_many_evaluations(`${max} evaluations are under way already`, {
    details: { running: running?.count ?? 0, max },
    retryAfterS: 5,
  })
}

/** Throws `limit_reached` where the tenant has no room for one more evaluation; its caller holds the lock. */
export async function requireRoomToKeep(tx: Transaction, { tenantId }: Operation, limits: Limits): Promise<void> {
  const [kept] = await tx.read((q) =>
    q.selectFrom('evaluations').select(q.fn.countAll<number>().as('count')).where('tenant_id', '=', tenantId),
  )
  const most = limits.evaluations_per_tenant
  if ((kept?.count ?? 0) < most) return
  throw ACCOUNTS_ERRORS.limit_reached(`you have ${most} evaluations already; the oldest ones go with time`, {
    details: { max: most },
  })
}
