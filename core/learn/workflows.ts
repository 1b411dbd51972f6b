import { z } from 'zod'
import { defineScheduledWorkflow, defineWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Observes captured traffic: groups new captures by template, and measures the groups. */
export const ObserveTraffic = defineScheduledWorkflow({ name: 'traffic', queue: 'io' })

/** Scores the rows of one evaluation. Its id is the evaluation's. */
export const Evaluate = defineWorkflow({
  name: 'evaluate',
  queue: 'compile',
  start: 'once',
  input: z.object({ evaluationId: z.string(), tenantId: z.string(), rows: z.int(), target: z.string() }),
  id: ({ evaluationId }) => evaluationId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ rows, target }) => `Evaluation of ${target} on ${rows} rows`,
})
