import { episodesOf, stepTimes, type Episode } from '../../../core/billing/dunning.ts'
import { Dunning } from '../../../core/billing/workflows.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Limits } from '../../../core/billing/limits.ts'
import { PLANS } from '../../../core/kernel/tenant/plans.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { enqueueMail } from '../../accounts/mails/enqueue-mail.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import type { BillingRows } from '../standing/facts.ts'
import type { BilledTenant } from '../lock-tenant.ts'
import type { DunningState } from './dunning.ts'

interface DunningRow {
  readonly id: string
  readonly invoiceId: string
  readonly attempt: number
  readonly state: DunningState
  readonly nextStepAt: Date | null
  readonly resolvedAt: Date | null
}

/** The failing subscriptions, and those suspended for it. */
export interface Dunned {
  readonly failing: ReadonlySet<string>
  readonly suspended: ReadonlySet<string>
}

/**
 * Brings the rows of dunning in line with the invoices: one row per episode, opened, moved or closed. Steps taken stay
 * with their row, whichever invoice turns out to have failed first. The tenant must be locked.
 */
export async function settleDunnings(
  tx: Transaction,
  op: Operation,
  input: { readonly tenant: BilledTenant; readonly rows: BillingRows; readonly limits: Limits },
): Promise<Dunned> {
  const episodes = episodesOf(input.rows.failedInvoices, input.rows.subscriptions)
  const held: readonly DunningRow[] = await tx.q
    .selectFrom('dunnings')
    .select([
      'id',
      'invoice_id as invoiceId',
      'attempt',
      'state',
      'next_step_at as nextStepAt',
      'resolved_at as resolvedAt',
    ])
    .where('tenant_id', '=', op.tenantId)
    .orderBy('attempt', 'desc')
    .orderBy('id')
    .execute()
  const failing = new Set<string>()
  const suspended = new Set<string>()
  const pairs = episodes.map((episode) => ({
    episode,
    rows: held.filter(({ invoiceId }) => episode.invoiceIds.includes(invoiceId)),
  }))
  // Deletions go first: two rows of one subscription may not be open at the same time.
  const kept = new Set(pairs.flatMap(({ rows }) => rows[0]?.id ?? []))
  for (const { id } of held.filter((row) => !kept.has(row.id)))
    await tx.q.deleteFrom('dunnings').where('tenant_id', '=', op.tenantId).where('id', '=', id).execute()
  // Finished ones are closed before another one opens.
  for (const { episode, rows } of pairs.toSorted(closedFirst)) {
    const [row] = rows
    const isSuspended = row?.state === 'suspended' && episode.resolvedAt === null
    if (episode.resolvedAt === null) failing.add(episode.subscriptionId)
    if (isSuspended) suspended.add(episode.subscriptionId)
    if (row === undefined) await open(tx, op, episode, input.limits)
    else await move(tx, op, { row, episode, ...input })
  }
  return { failing, suspended }
}

function closedFirst(one: { readonly episode: Episode }, other: { readonly episode: Episode }): number {
  return Number(one.episode.resolvedAt === null) - Number(other.episode.resolvedAt === null)
}

async function open(tx: Transaction, op: Operation, episode: Episode, limits: Limits): Promise<void> {
  const { subscriptionId, invoiceId, firstFailedAt, lastFailedAt, resolvedAt, isRecovered } = episode
  const id = newId('dun')
  const [firstStepAt] = stepTimes(firstFailedAt, limits)
  await tx.q
    .insertInto('dunnings')
    .values({
      id,
      tenant_id: op.tenantId,
      subscription_id: subscriptionId,
      invoice_id: invoiceId,
      attempt: 0,
      state: isRecovered ? 'recovered' : 'scheduled',
      next_step_at: resolvedAt === null ? firstStepAt : null,
      first_failed_at: firstFailedAt,
      last_failed_at: lastFailedAt,
      resolved_at: resolvedAt,
    })
    .execute()
  if (resolvedAt !== null) return
  await requestStart(tx, Dunning, { dunningId: id, tenantId: op.tenantId })
  await recordAudit(tx, op, {
    action: 'billing.dunning_opened',
    target: id,
    payload: { subscription_id: subscriptionId, invoice_id: invoiceId },
  })
}

async function move(
  tx: Transaction,
  op: Operation,
  change: {
    readonly row: DunningRow
    readonly episode: Episode
    readonly tenant: BilledTenant
    readonly rows: BillingRows
    readonly limits: Limits
  },
): Promise<void> {
  const { row, episode, tenant, rows, limits } = change
  const steps = stepTimes(episode.firstFailedAt, limits)
  const isOpen = episode.resolvedAt === null
  const wasResolved = row.resolvedAt !== null
  const state =
    episode.isRecovered && !isOpen ? 'recovered' : isOpen && row.state === 'recovered' ? 'scheduled' : row.state
  const nextStepAt = isOpen && state === 'scheduled' ? (steps[row.attempt] ?? null) : null
  await tx.q
    .updateTable('dunnings')
    .set({
      invoice_id: episode.invoiceId,
      state,
      next_step_at: nextStepAt,
      first_failed_at: episode.firstFailedAt,
      last_failed_at: episode.lastFailedAt,
      resolved_at: episode.resolvedAt,
    })
    .where('tenant_id', '=', op.tenantId)
    .where('id', '=', row.id)
    .execute()
  const isTurned = isOpen === wasResolved
  // A failure reported late moves the steps to an earlier time than the workflow waits for.
  if (!isTurned && nextStepAt?.getTime() === row.nextStepAt?.getTime()) return
  await requestStart(tx, Dunning, { dunningId: row.id, tenantId: op.tenantId })
  if (isOpen || !isTurned || !episode.isRecovered) return
  await recordAudit(tx, op, {
    action: 'billing.dunning_recovered',
    target: row.id,
    payload: {
      subscription_id: episode.subscriptionId,
      attempts: row.attempt,
      was_suspended: row.state === 'suspended',
    },
  })
  // A tenant that got no mail about the failure needs none about its end.
  if (row.attempt === 0 || tenant.email === null || tenant.deletedAt !== null) return
  await enqueueMail(tx, op.db, {
    template: 'recovered',
    to: tenant.email,
    tenantId: op.tenantId,
    params: { workspace: tenant.name, plan: planLabel(rows, episode.subscriptionId) },
    now: op.now(),
  })
}

/** Returns the display name of a subscription's plan. */
export function planLabel(rows: Pick<BillingRows, 'subscriptions'>, subscriptionId: string): string {
  const plan = rows.subscriptions.find(({ id }) => id === subscriptionId)?.plan
  return plan ? PLANS[plan].label : 'that was bought'
}
