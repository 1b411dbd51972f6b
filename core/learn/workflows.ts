import { defineScheduledWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Observes captured traffic: groups new captures by template, and measures the groups. */
export const ObserveTraffic = defineScheduledWorkflow({ name: 'traffic', queue: 'io' })
