import { defineScheduledWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Keeps the store of captures: partitions ahead of time, signed chains, the index of the search, the end of old months. */
export const CapturePartitions = defineScheduledWorkflow({ name: 'captures', queue: 'io' })
