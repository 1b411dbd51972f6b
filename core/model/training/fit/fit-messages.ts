import type { ThreadError } from '../../../kernel/threads/thread-error.ts'
import type { FitProgress } from '../loop/history.ts'
import type { FitInput, FittedAdapter } from './fit-types.ts'

/** Start data of a fit's thread. */
export interface FitThreadData {
  readonly input: FitInput
  /** One number, 1 as soon as the fit is to end. Shared, because the thread reads no messages while it computes. */
  readonly endFlag: Int32Array<SharedArrayBuffer>
}

/** Messages of a fit's thread. The last message is `done` or `failed`. */
export type FitMessage =
  | { readonly kind: 'step'; readonly progress: FitProgress }
  | { readonly kind: 'checkpoint'; readonly bytes: Uint8Array<ArrayBuffer>; readonly step: number }
  | { readonly kind: 'done'; readonly fitted: FittedAdapter }
  | { readonly kind: 'failed'; readonly error: ThreadError }
