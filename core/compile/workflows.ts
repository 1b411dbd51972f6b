import { z } from 'zod'
import { defineChildWorkflow, defineWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Compiles the examples of one job. Its id is the job's. */
export const Compile = defineWorkflow({
  name: 'compile',
  queue: 'compile',
  start: 'once',
  input: z.object({
    jobId: z.string(),
    tenantId: z.string(),
    /** Number of examples. */
    rows: z.int(),
    kScoreFloor: z.number(),
    baseModel: z.string(),
  }),
  id: ({ jobId }) => jobId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ rows, kScoreFloor }) => `Compile of ${rows} examples, K floor ${kScoreFloor}`,
  details: ({ jobId, tenantId, rows, kScoreFloor, baseModel }) =>
    [
      `- job \`${jobId}\` of tenant \`${tenantId}\``,
      `- ${rows} examples, K-score floor ${kScoreFloor}, base model ${baseModel}`,
      '- stages: k-sample, verify, lora-fit, bundle, sign',
      '- Postgres holds the task, the examples and the result of each stage',
    ].join('\n'),
})

/** Writes one artifact in another format. Its id is the export's. */
export const Export = defineWorkflow({
  name: 'export',
  queue: 'compile',
  start: 'once',
  input: z.object({
    exportId: z.string(),
    tenantId: z.string(),
    target: z.string(),
    quant: z.string().nullable(),
  }),
  id: ({ exportId }) => exportId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ target, quant }) => `Export to ${target}${quant === null ? '' : ` ${quant}`}`,
})

/** Reads files into a namespace, one after another. Its id is that of the call. */
export const Index = defineWorkflow({
  name: 'index',
  queue: 'compile',
  start: 'once',
  input: z.object({ indexId: z.string(), tenantId: z.string(), files: z.int() }),
  id: ({ indexId }) => indexId,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ files }) => `Index ${files} files`,
})

/** Signs the best candidate of a gated job that was accepted below its floor. Its id is the job's with `/accept`. */
export const Accept = defineWorkflow({
  name: 'accept',
  queue: 'compile',
  start: 'wake',
  input: z.object({ jobId: z.string(), tenantId: z.string() }),
  id: ({ jobId }) => `${jobId}/accept`,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ jobId }) => `Sign the accepted candidate of ${jobId}`,
})

/** Carries out what follows from the life of one artifact. Its id is the artifact's with `/lifecycle`. */
export const Lifecycle = defineWorkflow({
  name: 'lifecycle',
  queue: 'io',
  start: 'wake',
  input: z.object({ artifactId: z.string(), tenantId: z.string() }),
  id: ({ artifactId }) => `${artifactId}/lifecycle`,
  tenant: ({ tenantId }) => tenantId,
  summary: ({ artifactId }) => `Effects of the transitions of ${artifactId}`,
})

/** Fits the adapter of one job on a rented machine, as a child of its compile. Its id is the job's with `/rental`. */
export const Rental = defineChildWorkflow({ name: 'rental', queue: 'compile' })
