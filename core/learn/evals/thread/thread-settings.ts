/** The thread of evaluations, in API and worker. */
export const EVAL_THREAD = { file: new URL('eval-thread.ts', import.meta.url), name: 'evals', memoryMb: 768 } as const

/** Longest time for reading tasks and making prompts, milliseconds. */
export const PREPARE_STILL_MS = 30_000
