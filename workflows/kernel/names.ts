import { defineSearchAttributeKey } from '@temporalio/common'

/**
 * The names that workflow code and its callers share. temporal.yaml declares the same search attributes; a test
 * compares the two. Workflow families are in core/<area>/workflows.ts.
 */

/** The activity that fits an adapter, on any queue. */
export const FIT_ACTIVITY = 'fitAdapter'

/** The queue that external trainers serve (workers/trainer). */
export const TRAINER_QUEUE = 'lora-fit-gpu'

/** The queries that workflows answer. */
export const QUERIES = { compileProgress: 'compileProgress' } as const

/** The signals that workflows take. */
export const SIGNALS = {
  fitProgress: 'fitProgress',
  rentalSeen: 'rentalSeen',
  /** Rows that the workflow watches have changed: it reads them again. */
  changed: 'changed',
} as const

/** The tenant that a run works for. */
export const TENANT_KEY = defineSearchAttributeKey('SvcTenant', 'KEYWORD')
/** The name of the workflow family. */
export const KIND_KEY = defineSearchAttributeKey('SvcKind', 'KEYWORD')
/** The current stage of a run, or its outcome. */
export const STAGE_KEY = defineSearchAttributeKey('SvcStage', 'KEYWORD')
/** The measured K-score, from 0 to 1. */
export const K_SCORE_KEY = defineSearchAttributeKey('SvcKScore', 'DOUBLE')

/** Every search attribute that the code sets. */
export const SEARCH_ATTRIBUTE_KEYS = [TENANT_KEY, KIND_KEY, STAGE_KEY, K_SCORE_KEY] as const
