import { runTerms } from '../../../core/compile/stages/pool/run-terms.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { BakeoffDefinition } from '../../../core/learn/evals/bakeoff/bakeoff.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { Bakeoff } from '../../../core/learn/workflows.ts'
import type { ChargedTo } from '../../billing/usage/charged-to.ts'
import { countUse } from '../../billing/usage/record-usage.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { searchableJson } from '../../kernel/queries/typed.ts'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireCompute } from '../../compile/compute/allowance.ts'
import { recipeKinds } from '../../compile/compute/recipe-kinds.ts'

/** A bake-off, as validated. */
export interface CreateBakeoffInput {
  readonly namespace: string
  readonly datasetId: string
  readonly datasetVersion: number
  readonly merkleRoot: string
  readonly definition: BakeoffDefinition
  readonly rowCount: number
  readonly trainCount: number
  /** Whose use it counts as. */
  readonly chargedTo: ChargedTo
  readonly limits: Limits
}

/**
 * Accepts a bake-off: its row, its contestants, the request for its workflow and the audit row in one transaction. Returns its id.
 * Throws `too_many_bakeoffs`, `limit_reached`, `compute_exhausted` where a base answers, and `invalid_credential` when the tenant is deleted.
 */
export async function createBakeoff(op: Operation, input: CreateBakeoffInput): Promise<string> {
  const { namespace, definition, rowCount, trainCount, limits } = input
  const { tenantId } = op
  const id = newId('bko')
  await op.write(async (tx) => {
    await requireLiveTenant(tx, tenantId)
    const kinds = await recipeKinds(tx, tenantId, definition.contestants)
    const terms = definition.contestants.map((contestant) => runTerms([contestant], kinds))
    if (terms.some(({ isMetered }) => isMetered)) await requireCompute(tx, { tenantId, limits, now: op.now() })
    await lockInTransaction(tx, `bakeoffs ${tenantId}`)
    await inAllNamespaces(tx, 'the limits are of the whole tenant', async () => await requireRoom(tx, tenantId, limits))
    await tx.q
      .insertInto('bakeoffs')
      .values({
        id,
        tenant_id: tenantId,
        namespace,
        state: 'queued',
        dataset_id: input.datasetId,
        dataset_version: input.datasetVersion,
        merkle_root: input.merkleRoot,
        definition: searchableJson(definition),
        row_count: rowCount,
        train_count: trainCount,
        created_at: op.now(),
      })
      .execute()
    await tx.q
      .insertInto('bakeoff_contestants')
      .values(
        definition.contestants.map(({ name, kind }, contestant) => ({
          bakeoff_id: id,
          contestant,
          tenant_id: tenantId,
          namespace,
          name,
          kind,
          answered_count: 0,
        })),
      )
      .execute()
    const contestants = definition.contestants.map(({ name }) => name)
    const isJudged = definition.options.judge !== null
    const takesTurns = terms.map((each) => each.takesTurns)
    await requestStart(tx, Bakeoff, { bakeoffId: id, tenantId, rows: rowCount, contestants, takesTurns, isJudged })
    await countUse(tx, op, { chargedTo: input.chargedTo, unit: 'bakeoff_runs', quantity: 1 })
    await recordAudit(tx, op, {
      action: 'bakeoff.started',
      target: id,
      payload: {
        bakeoff_id: id,
        namespace,
        dataset_id: input.datasetId,
        version: input.datasetVersion,
        contestants,
        rows: rowCount,
      },
    })
  })
  return id
}

async function requireRoom(tx: Transaction, tenantId: string, limits: Limits): Promise<void> {
  const [running, kept] = await tx.read((q) => [
    q
      .selectFrom('bakeoffs')
      .select(q.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('finished_at', 'is', null),
    q.selectFrom('bakeoffs').select(q.fn.countAll<number>().as('count')).where('tenant_id', '=', tenantId),
  ])
  const max = limits.unfinished_bakeoffs_per_tenant
  const under = running[0]?.count ?? 0
  if (under >= max) {
    throw LEARN_ERRORS.too_many_bakeoffs(`${max} bake-offs are under way already`, {
      details: { running: under, max },
      retryAfterS: 5,
    })
  }
  const most = limits.bakeoffs_per_tenant
  if ((kept[0]?.count ?? 0) >= most) {
    throw ACCOUNTS_ERRORS.limit_reached(`you have ${most} bake-offs already; the oldest ones go with time`, {
      details: { max: most },
    })
  }
}
