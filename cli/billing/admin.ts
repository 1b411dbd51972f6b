import type { Command } from 'commander'
import type { CliContext } from '../context.ts'

/** `svc admin …`: commands for administrators of the service. */
export function addAdminCommands(program: Command, context: () => CliContext): void {
  const admin = program.command('admin').description('run the service (SVC_ADMIN_KEY, or the key of an admin tenant)')
  const billing = admin.command('billing').description('payments')
  billing
    .command('retry')
    .description('process refused payment events again, after their cause is resolved')
    .action(async () => {
      const { retryPaymentEvents } = await import('./retry-payment-events.ts')
      await retryPaymentEvents(context())
    })
}
