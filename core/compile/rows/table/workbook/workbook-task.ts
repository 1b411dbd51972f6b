import type { FieldProblem } from '../../../../kernel/errors.ts'

/** Bounds on a workbook. */
export interface WorkbookBounds {
  /** Bytes of all its parts when they are inflated. */
  readonly inflatedBytes: number
  readonly columns: number
  readonly rows: number
  /** Bytes of the rows in the form that the reader of tables takes. */
  readonly rowBytes: number
}

/** One sheet of a workbook as it was read. */
export interface ReadSheet {
  /** Names of all sheets. */
  readonly sheets: readonly string[]
  readonly sheet: string
  readonly sheetReason: string
  /** Cells that a compile is refused for: errors, merged cells, formulas without a value. */
  readonly problems: readonly FieldProblem[]
}

/** Tasks of the thread that reads workbooks. */
export interface WorkbookTasks {
  /** Reads one sheet; its rows come as `progress`, lines of `sheetLine`. */
  readonly read: {
    readonly input: { readonly bytes: Uint8Array; readonly sheet: string | undefined; readonly bounds: WorkbookBounds }
    readonly output: ReadSheet
    readonly progress: Uint8Array
  }
}
