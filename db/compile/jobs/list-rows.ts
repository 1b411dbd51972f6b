import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { inOrder, MemberOrder } from '../../../core/compile/rows/inputs/member-order.ts'
import { isFinal } from '../../../core/compile/rows/task.ts'
import type { RowSide } from '../../../core/compile/wire/jobs/explain/row-sides.ts'
import type { RowView } from '../../../core/compile/wire/jobs/explain/rows.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { findBlob, readBlob } from '../../kernel/blobs/read-blob.ts'
import type { Operation } from '../../kernel/operation.ts'
import { placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { CompileJob } from './compile-job.ts'
import { stageResult } from './stages/stages.ts'

const LINE_FEED = 0x0a
/** Bytes of rows that one page looks through: a filter that few rows pass answers a short page and a cursor. */
const PAGE_BYTES = 8 * 1024 * 1024
/** The second part of a cursor: a cursor of another list has an id there. */
const CURSOR_NAME = 'rows'

/** Which rows to list. */
export interface RowFilter {
  /** `wrong`: all that count against the gate. `abstained`: those without an answer by choice. */
  readonly only?: 'wrong' | 'abstained' | undefined
  readonly side?: RowSide | undefined
}

/**
 * Lists the rows of a job with their results, in the order of the examples; members stand as they were given. Empty for a
 * job that ended before its rows were scored. Throws `not_ready` before that, `rows_expired` once they were released, and
 * `invalid_cursor`.
 */
export async function listRows(
  op: Operation,
  job: CompileJob,
  { limit, cursor, ...filter }: PageRequest & RowFilter,
): Promise<Page<RowView>> {
  const { rowsSha256 } = job
  if (rowsSha256 === null || rowsSha256 === undefined) return await explainAbsence(op, job)
  const digest: Sha256 = `sha256:${rowsSha256.slice('sha256:'.length)}`
  const fromByte = await startOf(op, digest, cursor)
  const order = MemberOrder.safeParse(job.spec['members']).data
  const items: RowView[] = []
  for await (const { text, endByte } of linesFrom(op, digest, fromByte)) {
    const row: RowView = JSON.parse(text)
    if (passes(row, filter)) items.push(asGiven(row, order))
    if (items.length < limit && endByte - fromByte < PAGE_BYTES) continue
    const blob = await findBlob(op.db, digest)
    return { items, nextCursor: endByte < (blob?.sizeBytes ?? 0) ? `${endByte}.${CURSOR_NAME}` : null }
  }
  return { items, nextCursor: null }
}

/** Returns a row with the members of its values in the order of the examples. */
function asGiven(row: RowView, order: MemberOrder | undefined): RowView {
  if (order === undefined) return row
  const { input, expected, got } = row
  return {
    ...row,
    ...(input !== undefined && { input: inOrder(input, order.input) }),
    ...(expected !== undefined && { expected: inOrder(expected, order.output) }),
    ...(got !== undefined && { got: inOrder(got, order.output) }),
  }
}

async function explainAbsence(op: Operation, job: CompileJob): Promise<Page<RowView>> {
  if (!isFinal(job.status)) throw COMPILE_ERRORS.not_ready(`the job is ${job.status}: its rows are not scored yet`)
  const verified = await stageResult(op, { jobId: job.id, stage: 'verify' })
  if (verified === null) return { items: [], nextCursor: null }
  const place = job.status === 'ready' ? '; evals.json in the archive holds the evaluation' : ''
  throw COMPILE_ERRORS.rows_expired(`the rows of this job are no longer kept${place}`)
}

/** Returns the byte that a cursor names. Throws `invalid_cursor` when no row begins there. */
async function startOf(op: Operation, digest: Sha256, cursor: string | undefined): Promise<number> {
  if (cursor === undefined) return 0
  const { rank, id } = placeOf(cursor)
  if (id !== CURSOR_NAME || rank === 0) throw KERNEL_ERRORS.invalid_cursor('cursor: is not a cursor of this list')
  for await (const bytes of readBlob(op.db, digest, { fromByte: rank - 1, toByte: rank })) {
    if (bytes[0] === LINE_FEED) return rank
  }
  throw KERNEL_ERRORS.invalid_cursor('cursor: is not a cursor of this list')
}

async function* linesFrom(
  op: Operation,
  digest: Sha256,
  fromByte: number,
): AsyncGenerator<{ readonly text: string; readonly endByte: number }> {
  let pending: Uint8Array[] = []
  let endByte = fromByte
  for await (const chunk of readBlob(op.db, digest, { fromByte })) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const line = Buffer.concat([...pending, chunk.subarray(start, end)])
      pending = []
      start = end + 1
      endByte += line.length + 1
      yield { text: line.toString('utf8'), endByte }
    }
    pending.push(chunk.subarray(start))
  }
}

function passes({ right, result, side }: RowView, filter: RowFilter): boolean {
  if (filter.side !== undefined && side !== filter.side) return false
  if (filter.only === 'abstained') return result === 'abstained'
  return filter.only !== 'wrong' || right === false
}
