import { z } from 'zod'
import { defineScheduledWorkflow, defineWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Observes captured traffic: groups new captures by template, and measures the groups. */
export const ObserveTraffic = defineScheduledWorkflow({ name: 'traffic', queue: 'io' })

/** Builds one version of a dataset. Its id is that of the dataset with `/v` and the number. */
export const BuildDataset = defineWorkflow({
  name: 'dataset',
  queue: 'compile',
  start: 'once',
  input: z.object({ datasetId: z.string(), version: z.int(), tenantId: z.string() }),
  id: ({ datasetId, version }) => `${datasetId}/v${version}`,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ datasetId, version }) => `Version ${version} of dataset ${datasetId}`,
})

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

/** Waits until a cloud job has machines, then starts its compile. Its id is the job's. */
export const CloudDistill = defineWorkflow({
  name: 'cloud-distill',
  queue: 'io',
  start: 'once',
  input: z.object({ cloudJobId: z.string(), tenantId: z.string(), lane: z.string() }),
  id: ({ cloudJobId }) => cloudJobId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ lane }) => `Cloud job on ${lane}`,
})

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
