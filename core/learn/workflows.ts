import { z } from 'zod'
import { defineScheduledWorkflow, defineWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Observes captured traffic: groups new captures by template, and measures the groups. */
export const ObserveTraffic = defineScheduledWorkflow({ name: 'traffic', queue: 'io' })

/** Scores two artifacts on the same rows and decides whether one may replace the other. Its id is the gate's. */
export const Gate = defineWorkflow({
  name: 'gate',
  queue: 'compile',
  start: 'once',
  input: z.object({ gateId: z.string(), tenantId: z.string(), mode: z.string(), rows: z.int() }),
  id: ({ gateId }) => gateId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ mode, rows }) => `Gate, ${mode}, ${rows} rows`,
})
