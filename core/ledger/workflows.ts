import { defineScheduledWorkflow } from '../kernel/workflows/define-workflow.ts'

/** Keeps the audit ledgers: chains, checkpoints, retention. */
export const Ledger = defineScheduledWorkflow({ name: 'ledger', queue: 'io' })
