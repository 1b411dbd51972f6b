import { MEASURING } from '../../../core/compile/stages/pool/run-terms.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import type { ErrorCode } from '../../../core/learn/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { countCalls, nameOfTarget, type InferenceRequest } from '../../../core/learn/evals/inference/inference.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { MeasureInference } from '../../../core/learn/workflows.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { json, notify, searchableJson } from '../../kernel/queries/typed.ts'
import { newestFirst, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireCompute } from '../../compile/compute/allowance.ts'

const SHOWN = [
  'id',
  'namespace',
  'state',
  'request',
  'result',
  'error_code as errorCode',
  'error_message as errorMessage',
  'created_at as createdAt',
  'finished_at as finishedAt',
] as const

/** A measurement as answers show it. */
export type ShownMeasurement = Awaited<ReturnType<typeof findMeasurement>>

/**
 * Accepts a measurement: its row, the request for its workflow and the audit row in one transaction. Returns its id. Throws
 * `too_many_measurements`, `limit_reached`, and `invalid_credential` when the tenant is deleted.
 */
export async function createMeasurement(
  op: Operation,
  {
    namespace,
    request,
    limits,
  }: { readonly namespace: string; readonly request: InferenceRequest; readonly limits: Limits },
): Promise<string> {
  const { tenantId } = op
  const id = newId('inf')
  const target = nameOfTarget(request.target)
  const { measured: calls } = countCalls(request)
  await op.write(async (tx) => {
    await requireLiveTenant(tx, tenantId)
    if (MEASURING.isMetered) await requireCompute(tx, { tenantId, limits, now: op.now() })
    await lockInTransaction(tx, `inference ${tenantId}`)
    await inAllNamespaces(tx, 'the limits are of the whole tenant', async () => await requireRoom(tx, tenantId, limits))
    await tx.q
      .insertInto('inference_measurements')
      .values({
        id,
        tenant_id: tenantId,
        namespace,
        state: 'queued',
        request: searchableJson(request),
        created_at: op.now(),
      })
      .execute()
    await requestStart(tx, MeasureInference, { measurementId: id, tenantId, target, calls })
    await recordAudit(tx, op, {
      action: 'inference.measured',
      target: id,
      payload: { measurement_id: id, namespace, target, calls },
    })
  })
  return id
}

async function requireRoom(tx: Transaction, tenantId: string, limits: Limits): Promise<void> {
  const [running, kept] = await tx.read((q) => [
    q
      .selectFrom('inference_measurements')
      .select(q.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('finished_at', 'is', null),
    q
      .selectFrom('inference_measurements')
      .select(q.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId),
  ])
  const max = limits.unfinished_inference_per_tenant
  const under = running[0]?.count ?? 0
  if (under >= max) {
    throw LEARN_ERRORS.too_many_measurements(`${max} measurements are under way already`, {
      details: { running: under, max },
      retryAfterS: 5,
    })
  }
  const most = limits.inference_measurements_per_tenant
  if ((kept[0]?.count ?? 0) >= most) {
    throw ACCOUNTS_ERRORS.limit_reached(`you have ${most} measurements already; the oldest ones go with time`, {
      details: { max: most },
    })
  }
}

/** Returns a measurement. Throws `not_found`, also for another tenant's. */
export async function findMeasurement(op: Operation, id: string) {
  const [found] = await op.read((q) =>
    q.selectFrom('inference_measurements').select(SHOWN).where('id', '=', id).where('tenant_id', '=', op.tenantId),
  )
  if (found === undefined) throw KERNEL_ERRORS.not_found('no such measurement')
  return found
}

/** Lists measurements, newest first. Throws `invalid_cursor`. */
export async function listMeasurements(op: Operation, input: PageRequest): Promise<Page<ShownMeasurement>> {
  const newest = newestFirst(input)
  const rows = await op.read((q) =>
    newest.take(q.selectFrom('inference_measurements').select(SHOWN).where('tenant_id', '=', op.tenantId)),
  )
  return newest.page(rows)
}

/** Records that work has begun. Returns null when the measurement is over: then no work is left. */
export async function beginMeasurement(op: Operation, id: string): Promise<InferenceRequest | null> {
  return await op.write(async (tx) => {
    const [begun] = await tx.q
      .updateTable('inference_measurements')
      .set((of) => ({ state: 'running', started_at: of.fn.coalesce('started_at', of.val(op.now())) }))
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning('request')
      .execute()
    return begun?.request ?? null
  })
}

/** Ends a measurement with its signed row, or with a failure. A no-op for one that is over. */
export async function finishMeasurement(
  op: Operation,
  id: string,
  end: { readonly row: JsonObject } | { readonly failure: { readonly code: ErrorCode; readonly message: string } },
): Promise<void> {
  await op.write(async (tx) => {
    const failure = 'failure' in end ? end.failure : null
    const ended = await tx.q
      .updateTable('inference_measurements')
      .set({
        state: failure === null ? 'succeeded' : 'failed',
        result: 'row' in end ? json(end.row) : null,
        error_code: failure?.code ?? null,
        error_message: failure?.message ?? null,
        finished_at: op.now(),
      })
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning('id')
      .execute()
    if (ended.length > 0) await tx.q.selectNoFrom(notify('svc_jobs', id).as('notified')).execute()
  })
}
