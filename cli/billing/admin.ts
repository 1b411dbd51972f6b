import type { Command } from 'commander'
import type { z } from 'zod'
import {
  AdminRetryPaymentEventsAnswer,
  type AdminRetryPaymentEventsBody,
} from '../../core/billing/wire/retry-events.ts'
import type { CliContext } from '../context.ts'
import { formatTable } from '../terminal/table.ts'

/** `svc admin …`: commands for administrators of the service. */
export function addAdminCommands(program: Command, context: () => CliContext): void {
  const admin = program.command('admin').description('run the service (SVC_ADMIN_KEY, or the key of an admin tenant)')
  const billing = admin.command('billing').description('payments')
  billing
    .command('retry')
    .description('process refused payment events again, after their cause is resolved')
    .action(async () => await retryPaymentEvents(context()))
}

async function retryPaymentEvents(context: CliContext): Promise<void> {
  const { adminHeaders } = context
  const client = await (adminHeaders === undefined ? context.client() : context.guest())
  const total = { applied: 0, refused: 0 }
  const events: z.input<typeof AdminRetryPaymentEventsAnswer>['events'] = []
  for (let left = 1, before: string | undefined; left > 0;) {
    const answer = await client.call('/v1/admin/billing/retry', AdminRetryPaymentEventsAnswer, {
      method: 'POST',
      json: { before } satisfies z.input<typeof AdminRetryPaymentEventsBody>,
      ...(adminHeaders !== undefined && { headers: adminHeaders }),
    })
    total.applied += answer.applied
    total.refused += answer.refused
    events.push(...answer.events)
    before = answer.before
    left = answer.events.length === 0 ? 0 : answer.left
  }
  context.output.result({ ...total, events }, () =>
    events.length === 0
      ? 'there are no refused payment events'
      : [
          formatTable(
            ['event', 'type', 'outcome'],
            events.map((event) => [event.event_id, event.type, event.outcome]),
          ),
          `${total.applied} applied, ${total.refused} still refused`,
        ].join('\n'),
  )
}
