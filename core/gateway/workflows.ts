import { z } from 'zod'
import { defineScheduledWorkflow, defineWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Keeps the store of captures: partitions ahead of time, signed chains, the index of the search, the end of old months. */
export const CapturePartitions = defineScheduledWorkflow({ name: 'captures', queue: 'io' })

/** Forgets many captures of a tenant. Its id is the request's. */
export const Forget = defineWorkflow({
  name: 'forget',
  queue: 'io',
  start: 'wake',
  input: z.object({ forgetId: z.string(), tenantId: z.string() }),
  id: ({ forgetId }) => forgetId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ forgetId }) => `Forget the captures of ${forgetId}`,
})
