import type { ExportFormat } from '../../core/learn/datasets/export/formats.ts'
import type { Side } from '../../core/learn/datasets/states.ts'

/** Options of `svc data import`. */
export interface ImportFlags {
  readonly dataset?: string
  readonly namespace?: string
  readonly name?: string
  readonly ratio?: number
  readonly captures?: true
  readonly approved?: true
}

/** Options of `svc data show`. */
export interface VersionFlags {
  readonly version?: number
}

/** Options of `svc data split`. */
export interface SplitFlags {
  readonly ratio?: number
  readonly seed?: string
}

/** Options of `svc data export`. */
export interface ExportFlags extends VersionFlags {
  readonly format: ExportFormat
  readonly side?: Side
  readonly output?: string
  readonly force?: boolean
}
