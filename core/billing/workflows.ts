import { z } from 'zod'
import { defineWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Carries out the changes due in a tenant's billing rows: ends of paid periods, calls to the payment processor. */
export const Billing = defineWorkflow({
  name: 'billing',
  queue: 'io',
  start: 'wake',
  input: z.object({ tenantId: z.string() }),
  id: ({ tenantId }) => `${tenantId}/billing`,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ tenantId }) => `Billing of ${tenantId}`,
})

/** Performs the steps of one dunning. Its id is the dunning's. */
export const Dunning = defineWorkflow({
  name: 'dunning',
  queue: 'io',
  start: 'wake',
  input: z.object({ dunningId: z.string(), tenantId: z.string() }),
  id: ({ dunningId }) => dunningId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ dunningId }) => `Dunning ${dunningId}`,
})
