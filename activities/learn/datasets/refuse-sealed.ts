import { createReadStream } from 'node:fs'
import { readLines } from '../../../core/compile/rows/intake/byte-lines.ts'
import { sealedRowsError } from '../../../core/compile/rows/sealed-rows-error.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { pairOf } from '../../../core/learn/datasets/rows/row-content.ts'
import { readRow } from '../../../core/learn/datasets/rows/stored-row.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { sealedRows } from '../../../db/learn/holdouts/count-sealed.ts'

/** The rows of a version as a file of stored lines. */
export interface BuiltRows {
  readonly path: string
  /** Bytes that a line has at most. */
  readonly lineBytes: number
  /** Called for each row. */
  readonly onRow: () => void
}

/** Throws `sealed_rows` with the count when rows of a version are rows of a sealed holdout of the tenant, with whatever output. */
export async function refuseSealed(op: Operation, rows: BuiltRows): Promise<void> {
  const count = await sealedRows.count(op, inputsOf(rows))
  if (count > 0) throw sealedRowsError('rows', count)
}

async function* inputsOf({ path, lineBytes, onRow }: BuiltRows): AsyncGenerator<Json> {
  for await (const { bytes } of readLines(createReadStream(path), lineBytes)) {
    onRow()
    yield pairOf(readRow(Buffer.from(bytes).toString('utf8')).row).input
  }
}
