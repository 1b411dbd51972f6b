import { createReadStream } from 'node:fs'
import { readLines } from '../../../core/compile/rows/intake/byte-lines.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { pairOf } from '../../../core/learn/datasets/rows/row-content.ts'
import { readRow } from '../../../core/learn/datasets/rows/stored-row.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { refuseSealed } from '../../../db/learn/holdouts/refuse-sealed.ts'

/** The rows of a version as a file of stored lines. */
export interface BuiltRows {
  readonly path: string
  /** Bytes that a line has at most. */
  readonly lineBytes: number
  /** Called for each row. */
  readonly onRow: () => void
}

/** Throws `sealed_rows` with the count when rows of a version are rows of a sealed holdout of the tenant, with whatever output. */
export async function refuseSealedRows(op: Operation, rows: BuiltRows): Promise<void> {
  await refuseSealed(op, 'rows', inputsOf(rows))
}

async function* inputsOf({ path, lineBytes, onRow }: BuiltRows): AsyncGenerator<Json> {
  for await (const { bytes } of readLines(createReadStream(path), lineBytes)) {
    onRow()
    yield pairOf(readRow(Buffer.from(bytes).toString('utf8')).row).input
  }
}
