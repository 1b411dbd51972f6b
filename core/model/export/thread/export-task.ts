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

/** Reports of the thread: the head of the file, then its pieces. */
export type ExportReport =
  | { readonly kind: 'begin'; readonly fileName: string; readonly mediaType: string }
  | { readonly kind: 'piece'; readonly bytes: Uint8Array }

/**
 * The task of the thread of an export. It is fed credits and reports one piece for each, so that few pieces wait for the
 * reader.
 */
export interface ExportTasks {
  readonly write: {
    readonly input: ExportTask
    readonly output: null
    readonly progress: ExportReport
    readonly feed: number
  }
}
