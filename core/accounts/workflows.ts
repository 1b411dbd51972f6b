import { z } from 'zod'
import { defineWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Delivers one mail. Its id is the mail's. */
export const Mail = defineWorkflow({
  name: 'mail',
  queue: 'io',
  start: 'wake',
  input: z.object({ mailId: z.string(), tenantId: z.string().nullable() }),
  id: ({ mailId }) => mailId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ mailId }) => `Deliver mail ${mailId}`,
})
