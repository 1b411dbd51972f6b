import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import type { Limits } from '../../../../core/compile/limits.ts'
import { Accept } from '../../../../core/compile/workflows.ts'
import { isJsonObject, type Json } from '../../../../core/kernel/json/json.ts'
import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import { requireLiveTenant } from '../../../accounts/tenants/require-live-tenant.ts'
import { periodOf } from '../../../billing/quota/period.ts'
import { takeWithRecall } from '../../../billing/quota/recall.ts'
import { reserveCompile } from '../../jobs/quota/reservation.ts'
import type { ChargedTo } from '../../../billing/usage/charged-to.ts'
import { describeActor, type Operation } from '../../../kernel/operation.ts'
import { requestStart } from '../../../kernel/outbox/request-start.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import { postEvents } from '../events/append-event.ts'
import { findJobIn } from '../../jobs/find-job.ts'
import { lockJob } from '../../jobs/lock-job.ts'
import { requireKeptCandidate } from './kept-candidate.ts'
import { findAcceptance } from './find-acceptance.ts'

/** The job to accept, and who pays for its artifact. */
export interface AcceptJobInput {
  readonly jobId: string
  readonly plan: PlanId
  readonly quota: number | null
  readonly chargedTo: ChargedTo
  readonly limits: Limits
}

/**
 * Accepts a gated job below its floor, with its units reserved, its audit row and the request for the workflow that
 * signs, in one transaction. A repeated call changes nothing; after a failed acceptance it accepts again. Throws
 * `not_found`, `not_gated`, `no_candidate`, `candidate_expired`, `quota_exhausted`, and `invalid_credential` when the
 * tenant is deleted.
 */
export async function acceptJob(op: Operation, input: AcceptJobInput): Promise<void> {
  const { tenantId } = op
  const month = { tenantId, period: periodOf(op.now()) }
  await takeWithRecall(op.db, month, async () => await op.write(async (tx) => await accept(tx, op, input)))
}

async function accept(tx: Transaction, op: Operation, input: AcceptJobInput): Promise<void> {
  const { jobId } = input
  const { tenantId } = op
  const now = op.now()
  await requireLiveTenant(tx, tenantId)
  const { status, kScoreFloor } = await lockJob(tx, jobId, tenantId)
  const before = await findAcceptance(tx, jobId)
  if (before?.state === 'pending' || before?.state === 'signed') return
  if (status !== 'gated') {
    throw COMPILE_ERRORS.not_gated(`the job is ${status}: only a gated job can be accepted`, { details: { status } })
  }
  const job = await findJobIn(tx, { jobId, tenantId })
  await requireCandidate(tx, jobId, job.evaluation ?? null)
  const kScore = Number(job.kScore ?? 0)
  // A failed acceptance may have left an archive that names it.
  await tx.q.deleteFrom('job_stages').where('job_id', '=', jobId).where('stage', 'in', ['bundle', 'sign']).execute()
  // The units that the gate returned are taken again, in the month of the acceptance.
  await tx.q.deleteFrom('quota_reservations').where('job_id', '=', jobId).execute()
  await reserveCompile(tx, { ...input, tenantId, now })
  const row = {
    state: 'pending' as const,
    accepted_by: describeActor(op.actor),
    accepted_at: now,
    k_score: kScore,
    k_score_floor: kScoreFloor,
    error_code: null,
    finished_at: null,
    look_at: null,
  }
  await tx.q
    .insertInto('compile_acceptances')
    .values({ job_id: jobId, tenant_id: tenantId, ...row })
    .onConflict((on) => on.column('job_id').doUpdateSet(row))
    .execute()
  const message = `accepted below its floor: K ${kScore}, floor ${kScoreFloor}`
  postEvents(tx, jobId, [{ kind: 'log', body: { step: 'bundle', code: 'accepted', message } }], now)
  await requestStart(tx, Accept, { jobId, tenantId })
  await recordAudit(tx, op, {
    action: 'compile.accepted',
    target: jobId,
    payload: { job_id: jobId, k_score: kScore, k_score_floor: kScoreFloor },
  })
}

/** Throws unless there is a candidate, and its data is still kept. */
async function requireCandidate(tx: Transaction, jobId: string, evaluation: Json): Promise<void> {
  const kind = isJsonObject(evaluation) ? evaluation['recipe_kind'] : undefined
  if (typeof kind !== 'string') throw COMPILE_ERRORS.no_candidate('no recipe was found: there is nothing to accept')
  await requireKeptCandidate(tx, jobId)
}
