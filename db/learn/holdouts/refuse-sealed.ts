import { sealedRowsError, type SealedField } from '../../../core/compile/rows/sealed-rows-error.ts'
import { canonicalJson, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { pairOf } from '../../../core/learn/datasets/rows/row-content.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { ReadyVersion } from '../datasets/find-dataset.ts'
import { pendingForgets } from '../datasets/forget/pending-forgets.ts'
import { takenCaptures, type AskedCaptures } from '../datasets/taken-captures.ts'
import { streamRows, type PlacedRow } from '../datasets/read-rows.ts'
import { sealedRows } from './count-sealed.ts'

/** Throws `sealed_rows` with the count when inputs are those of rows of a sealed holdout of the tenant, with whatever output. */
export async function refuseSealed(op: Operation, field: SealedField, inputs: AsyncIterable<Json>): Promise<void> {
  const count = await sealedRows.count(op, inputs)
  if (count > 0) throw sealedRowsError(field, count)
}

/** Throws `sealed_rows` with the count for a version whose rows were sealed after it was built. */
export async function refuseSealedVersion(op: Operation, field: SealedField, version: ReadyVersion): Promise<void> {
  await refuseSealed(op, field, inputsOf(op, version))
}

/** Throws `sealed_rows` with the count for captures whose questions are rows of a sealed holdout. */
export async function refuseSealedCaptures(op: Operation, field: SealedField, asked: AskedCaptures): Promise<void> {
  await refuseSealed(op, field, inputsOfCaptures(op, asked))
}

async function* inputsOfCaptures(op: Operation, asked: AskedCaptures): AsyncGenerator<Json> {
  for await (const batch of takenCaptures(op, asked)) {
    for (const { example } of batch) if ('input' in example) yield example.input
  }
}

/** Throws `sealed_rows` with the count for rows of a version that were read to be shown. */
export async function refuseSealedPage(op: Operation, rows: readonly PlacedRow[]): Promise<void> {
  await refuseSealed(op, 'rows', inputsOfPage(rows))
}

/**
 * Throws `sealed_rows` for rows of an evaluation one of whose columns is the input of a sealed row: a task may make its prompts
 * of any of them.
 */
export async function refuseSealedColumns(
  op: Operation,
  field: SealedField,
  rows: Iterable<JsonObject>,
): Promise<void> {
  await refuseSealed(op, field, columnsOf(rows))
}

async function* inputsOfPage(rows: readonly PlacedRow[]): AsyncGenerator<Json> {
  for (const { stored } of rows) if (stored !== null) yield await Promise.resolve(pairOf(stored.row).input)
}

async function* columnsOf(rows: Iterable<JsonObject>): AsyncGenerator<Json> {
  for (const row of rows) {
    const columns = new Map(Object.values(row).map((value) => [canonicalJson(value), value]))
    for (const value of columns.values()) yield await Promise.resolve(value)
  }
}

async function* inputsOf(op: Operation, version: ReadyVersion): AsyncGenerator<Json> {
  const { hashes } = await pendingForgets(op, version.datasetId)
  for await (const { stored } of streamRows(op.db, version, hashes)) yield pairOf(stored.row).input
}
