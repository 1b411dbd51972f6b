import { OVER } from '../../../core/billing/events/fold.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/** A decision about the end of a subscription that the processor does not have yet. */
export interface EndToPush {
  readonly subscriptionId: string
  /** When it ends; null when it continues after all. */
  readonly endsAt: Date | null
  /** When its continuation was decided; null when it ends. */
  readonly resumeDueAt: Date | null
}

/** Lists the decisions about ends that the processor does not have yet. */
export async function endsToPush(from: Reader, tenantId: string): Promise<readonly EndToPush[]> {
  return await from.read((q) =>
    q
      .selectFrom('subscriptions')
      .select(['id as subscriptionId', 'ends_at as endsAt', 'resume_due_at as resumeDueAt'])
      .where('tenant_id', '=', tenantId)
      .where((of) =>
        of.or([
          of.and([of('ends_at', 'is not', null), of('end_pushed_at', 'is', null)]),
          of('resume_due_at', 'is not', null),
        ]),
      )
      .where('status', 'not in', OVER)
      .orderBy('id'),
  )
}

/** Records that the processor was notified, unless the decision changed meanwhile. */
export async function markEndPushed(op: Operation, end: EndToPush & { readonly now: Date }): Promise<void> {
  const { subscriptionId, endsAt, resumeDueAt, now } = end
  await op.write(async (tx) => {
    await tx.q
      .updateTable('subscriptions')
      .set({
        resume_due_at: null,
        is_cancel_at_period_end: endsAt !== null,
        end_pushed_at: endsAt === null ? null : now,
      })
      .where('tenant_id', '=', op.tenantId)
      .where('id', '=', subscriptionId)
      .where('ends_at', 'is not distinct from', endsAt)
      .where('resume_due_at', 'is not distinct from', resumeDueAt)
      .execute()
  })
}
