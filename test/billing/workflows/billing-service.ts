import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '../../../db/kernel/operation.ts'
import { useFakeStripe, type FakeStripe } from '../../support/stripe/fake.ts'
import { openPayments, QUICK, testProcessor, type Payments } from '../../support/stripe/paying.ts'
import { useService, type TestService } from '../../support/workflows/service.ts'
import { sendSql } from '../../support/db/send-sql.ts'

/** Now, in seconds. */
export const nowS = (): number => Math.floor(Date.now() / 1000)

/** Waits until something is so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(200)
}

/** The workers of the service with a payment processor, and what tests of billing do with them. */
export interface BillingService extends Payments {
  readonly service: TestService
  readonly stripe: FakeStripe
  /** Takes the key of the processor from the workers, or gives it back. */
  readonly setKeyless: (isKeyless: boolean) => void
  /** Starts or wakes the workflow that the outbox requests. */
  readonly start: (workflowId: string) => Promise<boolean>
  /** Has a workflow of billing look at its rows although nothing asks for it, as its timer would. */
  readonly wake: (op: Operation) => Promise<void>
  /** Moves the clock of the workers. */
  readonly skip: (ms: number) => void
  /** Waits until the rows record that the processor was notified of the end of a subscription. */
  readonly untilEndIsTold: (subscriptionId: string) => Promise<void>
  readonly resultOf: (workflowId: string) => Promise<unknown>
}

/** Runs them for the surrounding suite; without workers the rows and their workflows wait for a test to start some. */
export function useBillingService(options: { readonly withWorkers?: boolean } = {}): BillingService {
  const stripe = useFakeStripe()
  let isKeyless = false
  let skippedMs = 0
  const service = useService({
    ...options,
    change: (deps) => ({
      ...deps,
      limits: QUICK,
      now: () => new Date(Date.now() + skippedMs),
      get processor() {
        return isKeyless ? null : testProcessor(stripe)
      },
    }),
  })
  return {
    ...openPayments(() => ({ db: service.database.db, stripe })),
    service,
    stripe,
    setKeyless(wanted) {
      isKeyless = wanted
    },
    async wake({ tenantId }) {
      const workflowId = `${tenantId}/billing`
      await service.temporal.client.workflow.signalWithStart('billing', {
        workflowId,
        taskQueue: 'io',
        signal: 'changed',
        args: [{ workflowId, tenantId }],
      })
    },
    skip(ms) {
      skippedMs += ms
    },
    untilEndIsTold: async (subscriptionId) =>
      await until(async () => {
        const told = await sendSql(
          service.database.db,
          'select 1 from subscriptions where id = $1 and end_pushed_at is not null',
          [subscriptionId],
        )
        return told.length > 0
      }),
    start: async (workflowId) => await service.deps.workflows.start(workflowId),
    resultOf: async (workflowId) => await service.temporal.client.workflow.getHandle(workflowId).result(),
  }
}
