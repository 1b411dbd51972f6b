import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { DistillRequest } from '../../../core/learn/distill/request.ts'
import { NO_COUNTS } from '../../../core/learn/distill/run.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { Distill } from '../../../core/learn/workflows.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import type { ChargedTo } from '../../billing/usage/charged-to.ts'
import { countUse } from '../../billing/usage/record-usage.ts'
import { runningLimit } from '../../compile/jobs/start/admission.ts'
import { requireNamespace } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { json } from '../../kernel/queries/typed.ts'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { appendRunEvents } from './run-events.ts'

/** A run, as validated. */
export interface CreateRunInput {
  /** An id that was chosen before, so that a repeated attempt makes one run. */
  readonly runId?: string
  readonly namespace: string
  readonly request: DistillRequest
  /** Base or artifact that is trained; null where the compile chooses. */
  readonly student: string | null
  readonly teacher: string | null
  readonly chargedTo: ChargedTo
  readonly plan: PlanId
  readonly limits: Limits
}

/** Time in which starts are counted, milliseconds. */
const MINUTE_MS = 60_000

/**
 * Accepts a run: its row, its first event, the request for its workflow and the audit line in one transaction. Returns its id. Throws
 * `rate_limited` and `too_many_running_jobs`, which counts distillations and compiles, `insufficient_scope` for a
 * namespace outside of the caller's, and `invalid_credential` when the tenant is deleted.
 */
export async function createRun(op: Operation, input: CreateRunInput): Promise<string> {
  const { namespace, request, student, teacher } = input
  requireNamespace(op, namespace)
  const id = input.runId ?? newId('run')
  const now = op.now()
  await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    await lockInTransaction(tx, `distill ${op.tenantId}`)
    await inAllNamespaces(tx, 'the limits are of the whole tenant', async () => await requireRoom(tx, op, input))
    await tx.q
      .insertInto('distill_runs')
      .values({
        id,
        tenant_id: op.tenantId,
        namespace,
        kind: request.kind,
        state: 'queued',
        stage: 'queued',
        request: json(request),
        charged_to: json(input.chargedTo),
        student,
        teacher,
        job_id: newId('cmp'),
        counts: json(NO_COUNTS),
        spend_micros: 0,
        step_count: 0,
        event_seq: 0,
        created_at: now,
      })
      .execute()
    await appendRunEvents(tx, id, [{ kind: 'stage', body: { stage: 'queued' } }], now)
    await countUse(tx, op, { chargedTo: input.chargedTo, unit: 'optimization_runs', quantity: 1 })
    await requestStart(tx, Distill, { runId: id, tenantId: op.tenantId, kind: request.kind })
    await recordAudit(tx, op, {
      action: 'distill.started',
      target: id,
      payload: { run_id: id, namespace, kind: request.kind, ...(teacher !== null && { teacher }) },
    })
  })
  return id
}

/**
 * Throws `rate_limited` after too many starts within a minute, and `too_many_running_jobs` when as many distillations and
 * compiles are under way as the plan allows; the compile of a run counts as the run.
 */
async function requireRoom(tx: Transaction, op: Operation, input: CreateRunInput): Promise<void> {
  const { tenantId } = op
  const since = new Date(op.now().getTime() - MINUTE_MS)
  const [starts, runs, jobs] = await tx.read((q) => [
    q
      .selectFrom('distill_runs')
      .select(q.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('created_at', '>', since),
    q
      .selectFrom('distill_runs')
      .select(q.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('finished_at', 'is', null),
    q
      .selectFrom('compile_jobs as j')
      .select(q.fn.countAll<number>().as('count'))
      .where('j.tenant_id', '=', tenantId)
      .where('j.finished_at', 'is', null)
      .where((of) =>
        of.not(
          of.exists(
            of
              .selectFrom('distill_runs as r')
              .select('r.id')
              .where('r.tenant_id', '=', tenantId)
              .where('r.finished_at', 'is', null)
              .whereRef('r.job_id', '=', 'j.id'),
          ),
        ),
      ),
  ])
  const { limits, plan } = input
  if ((starts[0]?.count ?? 0) >= limits.distill_starts_per_tenant_minute) {
    throw KERNEL_ERRORS.rate_limited('too many distillations were started within a minute', { retryAfterS: 60 })
  }
  const running = (runs[0]?.count ?? 0) + (jobs[0]?.count ?? 0)
  const max = runningLimit(plan, limits)
  if (running < max) return
  throw COMPILE_ERRORS.too_many_running_jobs(
    `${running} distillations and compiles are under way, and the plan allows ${max}`,
    {
      details: { running, max, hint: 'wait for one to end, or cancel one' },
      retryAfterS: 10,
    },
  )
}
