import { stepTimes } from '../../../core/billing/dunning.ts'
import type { Limits } from '../../../core/billing/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { enqueueMail } from '../../accounts/mails/enqueue-mail.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { readBillingRows } from '../standing/facts.ts'
import { lockBilling, type BilledTenant } from '../lock-tenant.ts'
import { projectBilling } from '../standing/project.ts'
import type { DunningState } from './dunning.ts'
import { planLabel } from './settle-dunnings.ts'

/** State of a dunning: when its next step is due, null when there is none. */
export interface DunningStanding {
  readonly state: DunningState | 'over'
  readonly nextStepAt: Date | null
}

/**
 * Takes the dunning steps that are due: reminders, and finally the suspension. Missed steps are covered by one mail.
 * Repeating it changes nothing, since a step is counted in the transaction that takes it.
 */
export async function takeDunningSteps(
  op: Operation,
  input: { readonly dunningId: string; readonly limits: Limits },
): Promise<DunningStanding> {
  const { dunningId, limits } = input
  return await op.write(async (tx) => {
    const tenant = await lockBilling(tx, op.tenantId)
    const row = await tx.q
      .selectFrom('dunnings')
      .select(['state', 'subscription_id as subscriptionId', 'attempt', 'first_failed_at as firstFailedAt'])
      .where('id', '=', dunningId)
      .where('tenant_id', '=', op.tenantId)
      .where('resolved_at', 'is', null)
      .executeTakeFirst()
    if (tenant === null || row === undefined) return { state: 'over', nextStepAt: null }
    if (row.state !== 'scheduled') return { state: row.state, nextStepAt: null }
    const now = op.now()
    const steps = stepTimes(row.firstFailedAt, limits)
    const taken = steps.filter((at) => at <= now).length
    if (taken <= row.attempt) return { state: 'scheduled', nextStepAt: steps[row.attempt] ?? null }
    const nextStepAt = steps[taken] ?? null
    const step = { dunningId, attempt: taken, nextStepAt, subscriptionId: row.subscriptionId }
    if (nextStepAt === null) await suspend(tx, op, { tenant, limits, step })
    else await remind(tx, op, { tenant, step: { ...step, nextStepAt } })
    return { state: nextStepAt === null ? 'suspended' : 'scheduled', nextStepAt }
  })
}

interface Step {
  readonly dunningId: string
  readonly attempt: number
  readonly subscriptionId: string
}

async function remind(
  tx: Transaction,
  op: Operation,
  input: { readonly tenant: BilledTenant; readonly step: Step & { readonly nextStepAt: Date } },
): Promise<void> {
  const { tenant, step } = input
  await tx.q
    .updateTable('dunnings')
    .set({ attempt: step.attempt, next_step_at: step.nextStepAt })
    .where('tenant_id', '=', op.tenantId)
    .where('id', '=', step.dunningId)
    .execute()
  if (tenant.email === null || tenant.deletedAt !== null) return
  await enqueueMail(tx, op.db, {
    template: 'payment_failed',
    to: tenant.email,
    tenantId: op.tenantId,
    params: {
      workspace: tenant.name,
      plan: planLabel(await readBillingRows(tx, op.tenantId), step.subscriptionId),
      next_step_at: step.nextStepAt.toISOString(),
    },
    now: op.now(),
  })
}

async function suspend(
  tx: Transaction,
  op: Operation,
  input: { readonly tenant: BilledTenant; readonly limits: Limits; readonly step: Step },
): Promise<void> {
  const { tenant, limits, step } = input
  await tx.q
    .updateTable('dunnings')
    .set({ attempt: step.attempt, state: 'suspended', next_step_at: null, suspended_at: op.now() })
    .where('tenant_id', '=', op.tenantId)
    .where('id', '=', step.dunningId)
    .execute()
  await projectBilling(tx, op, { limits, reason: 'suspension' })
  await recordAudit(tx, op, {
    action: 'billing.dunning_suspended',
    target: step.dunningId,
    payload: { subscription_id: step.subscriptionId },
  })
  if (tenant.email === null || tenant.deletedAt !== null) return
  await enqueueMail(tx, op.db, {
    template: 'suspended',
    to: tenant.email,
    tenantId: op.tenantId,
    params: {
      workspace: tenant.name,
      plan: planLabel(await readBillingRows(tx, op.tenantId), step.subscriptionId),
    },
    now: op.now(),
  })
}
