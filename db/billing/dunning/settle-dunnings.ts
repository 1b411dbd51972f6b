import { episodesOf, stepTimes, type Episode } from '../../../core/billing/dunning.ts'
import { Dunning } from '../../../core/billing/workflows.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import { PLANS } from '../../../core/kernel/tenant/plans.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { enqueueMail } from '../../accounts/mails/enqueue-mail.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import type { BillingRows } from '../facts.ts'
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

/** Which subscriptions fail, and which of them are suspended for it. */
export interface Dunned {
  readonly failing: ReadonlySet<string>
  readonly suspended: ReadonlySet<string>
}

/**
 * Brings the rows of dunning in line with the invoices: one row per episode, opened, moved or closed. The steps that were
 * taken stay with their row, whichever invoice turns out to have failed first. The tenant must be locked.
 */
export async function settleDunnings(
  tx: Transaction,
  op: Operation,
  input: { readonly tenant: BilledTenant; readonly rows: BillingRows; readonly limits: Limits },
): Promise<Dunned> {
  const episodes = episodesOf(input.rows.failedInvoices, input.rows.subscriptions)
  const held = await tx.query<DunningRow>(
    `select id, invoice_id as "invoiceId", attempt, state, next_step_at as "nextStepAt", resolved_at as "resolvedAt"
     from dunnings where tenant_id = $1 order by attempt desc, id`,
    [op.tenantId],
  )
  const failing = new Set<string>()
  const suspended = new Set<string>()
  const pairs = episodes.map((episode) => ({
    episode,
    rows: held.filter(({ invoiceId }) => episode.invoiceIds.includes(invoiceId)),
  }))
  // Rows go first: two of one subscription may not be open at the same time.
  const kept = new Set(pairs.flatMap(({ rows }) => rows[0]?.id ?? []))
  for (const { id } of held.filter((row) => !kept.has(row.id)))
    await tx.query('delete from dunnings where id = $1', [id])
  // Those that are over are closed before another one opens.
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
  await tx.query(
    `insert into dunnings (id, tenant_id, subscription_id, invoice_id, attempt, state, next_step_at, first_failed_at,
       last_failed_at, suspended_at, resolved_at)
     values ($1, $2, $3, $4, 0, $5, $6, $7, $8, null, $9)`,
    [
      id,
      op.tenantId,
      subscriptionId,
      invoiceId,
      isRecovered ? 'recovered' : 'scheduled',
      resolvedAt === null ? firstStepAt : null,
      firstFailedAt,
      lastFailedAt,
      resolvedAt,
    ],
  )
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
  await tx.query(
    `update dunnings set invoice_id = $2, state = $3, next_step_at = $4, first_failed_at = $5, last_failed_at = $6,
       resolved_at = $7
     where id = $1`,
    [row.id, episode.invoiceId, state, nextStepAt, episode.firstFailedAt, episode.lastFailedAt, episode.resolvedAt],
  )
  const isTurned = isOpen === wasResolved
  // A failure that is told of late moves the steps to an earlier time than the workflow waits for.
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
  // Who was never told of the failure need not be told that it is over.
  if (row.attempt === 0 || tenant.email === null || tenant.deletedAt !== null) return
  await enqueueMail(tx, op.db, {
    template: 'recovered',
    to: tenant.email,
    tenantId: op.tenantId,
    params: { workspace: tenant.name, plan: planLabel(rows, episode.subscriptionId) },
    now: op.now(),
  })
}

/** What people call the plan of a subscription. */
export function planLabel(rows: Pick<BillingRows, 'subscriptions'>, subscriptionId: string): string {
  const plan = rows.subscriptions.find(({ id }) => id === subscriptionId)?.plan
  return plan ? PLANS[plan].label : 'that was bought'
}
