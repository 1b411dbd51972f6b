import { z } from 'zod'
import { defineScheduledWorkflow, defineWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Clears up after a deleted tenant. */
export const Deletion = defineWorkflow({
  name: 'deletion',
  queue: 'io',
  start: 'wake',
  input: z.object({ tenantId: z.string() }),
  id: ({ tenantId }) => `${tenantId}/deletion`,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ tenantId }) => `Remove the data of ${tenantId}`,
})

/** Brings rows and workflows together: one activity per family. */
export const Reconcile = defineScheduledWorkflow({ name: 'reconciliation', queue: 'io' })

/** Removes expired rows: one activity per sweep. */
export const Housekeeping = defineScheduledWorkflow({ name: 'sweeping', queue: 'io' })

/** The type that `reconciliation` replaced. Kept for runs that started before. */
export const EarlierReconcile = defineScheduledWorkflow({ name: 'reconcile', queue: 'io' })

/** The type that `sweeping` replaced. Kept for runs that started before. */
export const EarlierHousekeeping = defineScheduledWorkflow({ name: 'housekeeping', queue: 'io' })
