import type { ThreadError } from '../../../kernel/threads/thread-error.ts'
import type { ExportOrigin } from '../export-model.ts'
import type { ExportChoice } from '../targets.ts'

/** Input of the thread. */
export interface ExportTask {
  /** Folder of the base. */
  readonly directory: string
  /** The files of the adapter by PEFT's names. */
  readonly adapterFiles: ReadonlyMap<string, Uint8Array>
  readonly origin: ExportOrigin
  readonly choice: ExportChoice
}

/** Messages of the thread. It sends a piece only for a credit, so that no more pieces wait than were requested. */
export type ExportMessage =
  | { readonly type: 'begin'; readonly fileName: string; readonly mediaType: string }
  | { readonly type: 'piece'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'error'; readonly error: ThreadError }
