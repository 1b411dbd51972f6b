import { ListPlansAnswer } from '../../core/billing/wire/plans.ts'
import type { CliContext } from '../context.ts'
import { formatTable } from '../terminal/table.ts'

/** `svc plans`. */
export async function listPlans(context: CliContext): Promise<void> {
  const guest = await context.guest()
  const answer = await guest.call('/v1/plans', ListPlansAnswer)
  context.output.result(answer, () =>
    formatTable(
      ['plan', 'name', 'USD/month', 'units/month', 'seats'],
      answer.plans.map((plan) => [
        plan.id,
        plan.label,
        String(plan.price_usd_month),
        plan.quota.toLocaleString('en-US'),
        String(plan.seats),
      ]),
    ),
  )
}
