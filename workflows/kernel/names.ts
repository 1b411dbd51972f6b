import { defineSearchAttributeKey } from '@temporalio/common'

/**
 * The names that workflow code and its callers share. temporal.yaml declares the same queues, search attributes and
 * schedules; a test compares the two.
 */

/** The task queues that this program's workflows and activities run on. */
export const QUEUES = { compile: 'compile', fit: 'fit', io: 'io' } as const
/** Name of a task queue. */
export type QueueName = (typeof QUEUES)[keyof typeof QUEUES]

/** The activity that fits an adapter, on whichever queue. */
export const FIT_ACTIVITY = 'fitAdapter'

/** The queue that trainers outside of this program serve (workers/trainer). */
export const TRAINER_QUEUE = 'lora-fit-gpu'

/** The workflow types, by the name they are started under. */
export const WORKFLOWS = {
  compile: 'compile',
  export: 'export',
  reconcile: 'reconcile',
  housekeeping: 'housekeeping',
  mail: 'mail',
  ledger: 'ledger',
  billing: 'billing',
  dunning: 'dunning',
  deletion: 'deletion',
} as const

/** The queries that workflows answer. */
export const QUERIES = { compileProgress: 'compileProgress' } as const

/** The signals that workflows take. */
export const SIGNALS = {
  fitProgress: 'fitProgress',
  /** The rows of a workflow have changed: it is to look again. */
  changed: 'changed',
} as const

/** The tenant that a run works for. */
export const TENANT_KEY = defineSearchAttributeKey('SvcTenant', 'KEYWORD')
/** The workflow family: `compile` or `export`. */
export const KIND_KEY = defineSearchAttributeKey('SvcKind', 'KEYWORD')
/** The stage that a run is in, or how it ended. */
export const STAGE_KEY = defineSearchAttributeKey('SvcStage', 'KEYWORD')
/** The K-score that was measured, from 0 to 1. */
export const K_SCORE_KEY = defineSearchAttributeKey('SvcKScore', 'DOUBLE')

/** Every search attribute that the code sets. */
export const SEARCH_ATTRIBUTE_KEYS = [TENANT_KEY, KIND_KEY, STAGE_KEY, K_SCORE_KEY] as const
