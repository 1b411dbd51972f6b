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

/** The sheet to be read. */
export interface SheetChoice {
  /** Its name, or its number from 1; the first one with such contents when undefined. */
  readonly sheet: string | undefined
  /** Examples have several columns, inputs may have one. */
  readonly contents: SheetContents
}

/** Contents of a sheet. */
export type SheetContents = 'examples' | 'inputs'

/** A cell, or cells, whose value cannot be used as it stands. */
export interface SheetProblem extends FieldProblem {
  /** The last row of merged cells, counted from 1, which do not matter above the table; null for a cell, which does. */
  readonly mergedTo: number | null
}

/** One sheet of a workbook as it was read. */
export interface ReadSheet {
  /** Names of all sheets. */
  readonly sheets: readonly string[]
  readonly sheet: string
  readonly sheetReason: string
  /** Cells that a compile is refused for: errors, formulas without a value, and merged cells, as `sheetProblems` finds them. */
  readonly problems: readonly SheetProblem[]
}

/** Tasks of the thread that reads workbooks. */
export interface WorkbookTasks {
  /** Reads one sheet; its rows come as `progress`, lines of `sheetLine`. */
  readonly read: {
    readonly input: SheetChoice & { readonly bytes: Uint8Array; readonly bounds: WorkbookBounds }
    readonly output: ReadSheet
    readonly progress: Uint8Array
  }
}
