import type { Tolerance } from '../../../core/compile/rows/equality/tolerance.ts'
import type { IntakeBounds } from '../../../core/compile/rows/intake/bounds.ts'
import type { DatasetSummary } from '../../../core/compile/rows/intake/example.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import type { JsonOutline } from '../../../core/kernel/json/json-outline.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import type { JsonBounds } from '../../kernel/request/body-intake.ts'
import type { TableMapping } from '../../../core/compile/rows/table/mapping.ts'
import type { TableFormat } from '../../../core/compile/rows/table/open-table.ts'
import type { TablePreview } from '../../../core/compile/rows/table/table-preview.ts'
import type { ReadSheet } from '../../../core/compile/rows/table/workbook/workbook-task.ts'
import type { InlineDataset, PreviewRows, RowSample } from './inline-rows.ts'

/** Rows on their way to the thread: their JSON, or themselves when they are few. */
export type SentRows =
  | { readonly kind: 'json'; readonly json: Uint8Array }
  | { readonly kind: 'values'; readonly values: readonly unknown[] }

/** A file on its way to the thread. */
export interface GivenFile {
  readonly format: TableFormat
  readonly mapping: TableMapping
  /** The sheet that the bytes hold the rows of, with what is wrong with its cells. */
  readonly sheet?: ReadSheet | undefined
  /** True when the bytes come once only: lines of examples, as JSONL has them. */
  readonly isStreamed: boolean
  /** Tolerances of numbers that the caller states. */
  readonly tolerances?: readonly Tolerance[] | undefined
}

/** The tasks of the thread, by kind. */
export interface IntakeTasks {
  /** Throws what `parseJsonText` throws; then `JSON.parse` reads the text as it was sent. */
  readonly check: { readonly input: { readonly bytes: Uint8Array; readonly bounds: JsonBounds }; readonly output: null }
  /** Throws the same; returns a very large body in parts, so that no part of it holds the event loop. */
  readonly outline: {
    readonly input: { readonly chunks: readonly Uint8Array[]; readonly bounds: JsonBounds }
    readonly output: JsonOutline
  }
  /** Parses a body, and leaves its long lists as JSON. */
  readonly split: {
    readonly input: {
      readonly bytes: Uint8Array
      readonly bounds: JsonBounds
      readonly restParts: number
      readonly lists: readonly string[]
    }
    readonly output: {
      readonly rest: Json
      readonly lists: Readonly<Record<string, { readonly json: Uint8Array; readonly count: number }>>
    }
  }
  readonly dataset: {
    readonly input: {
      readonly examples: SentRows
      readonly spelling: 'examples' | 'pairs'
      readonly unlabelled: SentRows
      readonly tolerances?: readonly Tolerance[] | undefined
      readonly limits: Limits
    }
    readonly output: InlineDataset
  }
  readonly sample: {
    readonly input: { readonly examples: SentRows; readonly limits: Limits }
    readonly output: RowSample
  }
  readonly preview: {
    readonly input: {
      readonly examples: SentRows
      readonly seedsText: string | undefined
      readonly limits: Limits
    }
    readonly output: PreviewRows
  }
  /** Reads an upload that it is fed, until its end. */
  readonly upload: {
    readonly input: { readonly file: GivenFile; readonly bounds: IntakeBounds }
    readonly output: DatasetSummary
    readonly progress: UploadReport
    readonly feed: UploadBytes
  }
  /** Reads a file that it is fed, and says how a compile would read it. */
  readonly inspect: {
    readonly input: { readonly file: GivenFile; readonly bounds: IntakeBounds }
    readonly output: TablePreview
    readonly progress: UploadReport
    readonly feed: UploadBytes
  }
}

/** A message of the reader of an upload. After `wants` it waits for the next bytes, or the first ones again. */
export type UploadReport =
  | { readonly kind: 'wants'; readonly rows: number; readonly isRewound: boolean }
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }

/** The next bytes of an upload; null at its end. */
export type UploadBytes = Uint8Array | null
