import { z } from 'zod'
import { defineScheduledWorkflow, defineWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Whether the work takes turns with that of other tenants, by `runTerms`; absent where it is not known. */
const TURNS = { takesTurns: z.boolean().optional() }

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

/** Scores the rows of one evaluation. Its id is the evaluation's, followed by the number of the attempt from the second on. */
export const Evaluate = defineWorkflow({
  name: 'evaluate',
  queue: 'compile',
  start: 'once',
  input: z.object({
    evaluationId: z.string(),
    tenantId: z.string(),
    rows: z.int(),
    target: z.string(),
    /** True where a provider's model is asked before the rows are scored. */
    asksModel: z.boolean().optional(),
    /** From 2 on one that was resumed after it had failed. */
    attempt: z.int().optional(),
    ...TURNS,
  }),
  id: ({ evaluationId, attempt = 1 }) => (attempt === 1 ? evaluationId : `${evaluationId}/${attempt}`),
  tenant: ({ tenantId }) => tenantId,
  summary: ({ rows, target }) => `Evaluation of ${target} on ${rows} rows`,
})

/** Waits until a cloud job has machines, then starts its distillation. Its id is the job's. */
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
  input: z.object({ gateId: z.string(), tenantId: z.string(), mode: z.string(), rows: z.int(), ...TURNS }),
  id: ({ gateId }) => gateId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ mode, rows }) => `Gate, ${mode}, ${rows} rows`,
})

/** Distils rows into a student, from collecting them to its artifact. Its id is the run's. */
export const Distill = defineWorkflow({
  name: 'distill',
  queue: 'compile',
  start: 'once',
  input: z.object({ runId: z.string(), tenantId: z.string(), kind: z.string() }),
  id: ({ runId }) => runId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ kind }) => `Distillation, ${kind.replace('_', ' ')}`,
  details: ({ runId, tenantId }) =>
    [
      `- run \`${runId}\` of tenant \`${tenantId}\``,
      '- stages: collect, curate, label, train, evaluate, gate, publish',
      '- the compile that trains, gates and signs is a child of this workflow',
    ].join('\n'),
})

/** Asks the contestants of one bake-off for the held-out rows of a dataset. Its id is the bake-off's. */
export const Bakeoff = defineWorkflow({
  name: 'bakeoff',
  queue: 'compile',
  start: 'once',
  input: z.object({
    bakeoffId: z.string(),
    tenantId: z.string(),
    rows: z.int(),
    /** The name of each contestant, in their order. */
    contestants: z.array(z.string()),
    /** For each contestant whether its work takes turns with that of other tenants; absent where it is not known. */
    takesTurns: z.array(z.boolean()).optional(),
    isJudged: z.boolean(),
  }),
  id: ({ bakeoffId }) => bakeoffId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ rows, contestants }) => `Bake-off of ${contestants.length} contestants on ${rows} rows`,
})

/** Measures the inference of one artifact or base. Its id is the measurement's. */
export const MeasureInference = defineWorkflow({
  name: 'inference',
  queue: 'compile',
  start: 'once',
  input: z.object({ measurementId: z.string(), tenantId: z.string(), target: z.string(), calls: z.int() }),
  id: ({ measurementId }) => measurementId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ target, calls }) => `Inference of ${target}, ${calls} calls`,
})
