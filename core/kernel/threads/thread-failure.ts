/** Why a thread gave no answer. */
export type ThreadFailureCode =
  /** It passed its memory bound. */
  | 'thread_out_of_memory'
  /** It ended, or failed outside of its tasks. */
  | 'thread_ended'
  /** Its task reported nothing for its still time, so it was ended. */
  | 'thread_still'
  /** Its pool was closed. */
  | 'thread_closed'

/** Thrown to the callers of a thread that ended before it answered. The process and other threads continue. */
export class ThreadFailure extends Error {
  readonly code: ThreadFailureCode

  constructor(code: ThreadFailureCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ThreadFailure'
    this.code = code
  }
}

/** True for the failure of a thread that passed its memory bound. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof ThreadFailure && error.code === 'thread_out_of_memory'
}

/** The failure that an `error` event of a thread reports. */
export function failureOf(name: string, error: unknown): ThreadFailure {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new ThreadFailure('thread_out_of_memory', `a ${name} thread passed its memory bound`, { cause: error })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new ThreadFailure('thread_ended', `a ${name} thread ended: ${message}`, { cause: error })
}
