import type { Chunk } from '../../../../core/compile/runtime/batch/chunk.ts'
import type { RowError } from '../../../../core/compile/runtime/batch/row-outcome.ts'
import type { InputFile, InputReading, OpenedInputs } from '../../../../core/compile/rows/inputs/open-inputs.ts'
import type { RowPlace } from '../../../../core/compile/rows/inputs/row-place.ts'
import type { Json, Sha256 } from '../../../../core/kernel/json/json.ts'
import type { BatchFormat } from '../../../../core/ledger/receipts/batch-receipt.ts'
import type { ReceiptSigner } from '../../../../core/ledger/receipts/run-receipt.ts'

/** A file on its way to the thread. */
export interface BatchInput extends InputReading {
  readonly file: InputFile
  /** Most bytes of one input. */
  readonly inputBytes: number
  /** The archive whose recipe answers in the thread; null for one that runs on a base, whose rows are only read there. */
  readonly archive: Uint8Array | null
}

/** A file as the thread knows it before its rows are run. */
export type BatchFacts = Pick<OpenedInputs, 'format' | 'columns' | 'delimiter' | 'inputs' | 'rows' | 'leftOut'>

/** Form and place of the answers, known once the file is. */
export interface BatchStart {
  readonly kind: 'start'
  readonly format: BatchFormat
  /** Rows at the beginning that are only read. */
  readonly skippedRows: number
  /** Rows at the beginning whose answers are not sent, since the caller has them. */
  readonly unsentRows: number
  readonly versionId: string
  readonly artifactHash: Sha256
  /** Keys of receipts of rows; null where one receipt holds for all. */
  readonly signer: ReceiptSigner | null
}

/** A row that is answered outside of the thread. */
export interface ReadRow {
  readonly number: number
  readonly place: RowPlace
  readonly cells: readonly string[]
  readonly value: Json | undefined
  readonly error: RowError | null
}

/** A message of the thread. After each but the last it waits for what it asked for. */
export type BatchReport =
  | { readonly kind: 'wants'; readonly isRewound: boolean }
  | { readonly kind: 'opened'; readonly facts: BatchFacts }
  | { readonly kind: 'chunk'; readonly chunk: Chunk }
  | { readonly kind: 'rows'; readonly rows: readonly ReadRow[] }

/** An order to the thread: bytes (null at the end of the file), the start, or the order to continue. */
export type BatchFeed =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array | null }
  | BatchStart
  | { readonly kind: 'next' }

/** The tasks of the thread. */
export interface BatchTasks {
  readonly batch: {
    readonly input: BatchInput
    readonly output: null
    readonly progress: BatchReport
    readonly feed: BatchFeed
  }
}
