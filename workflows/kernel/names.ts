import { defineSearchAttributeKey } from '@temporalio/common'

/**
 * The names that workflow code and its callers share. temporal.yaml declares the same search attributes; a test compares
 * the two. Families of workflows stand in core/<area>/workflows.ts.
 */

/** The activity that fits an adapter, on whichever queue. */
export const FIT_ACTIVITY = 'fitAdapter'

/** The queue that trainers outside of this program serve (workers/trainer). */
export const TRAINER_QUEUE = 'lora-fit-gpu'

/** The queries that workflows answer. */
export const QUERIES = { compileProgress: 'compileProgress' } as const

/** The signals that workflows take. */
export const SIGNALS = {
  fitProgress: 'fitProgress',
  /** Rows that the workflow watches have changed: it reads them again. */
  changed: 'changed',
} as const

/** The tenant that a run works for. */
export const TENANT_KEY = defineSearchAttributeKey('SvcTenant', 'KEYWORD')
/** The name of the workflow family. */
export const KIND_KEY = defineSearchAttributeKey('SvcKind', 'KEYWORD')
/** The stage that a run is in, or how it ended. */
export const STAGE_KEY = defineSearchAttributeKey('SvcStage', 'KEYWORD')
/** The K-score that was measured, from 0 to 1. */
export const K_SCORE_KEY = defineSearchAttributeKey('SvcKScore', 'DOUBLE')

/** Every search attribute that the code sets. */
export const SEARCH_ATTRIBUTE_KEYS = [TENANT_KEY, KIND_KEY, STAGE_KEY, K_SCORE_KEY] as const
