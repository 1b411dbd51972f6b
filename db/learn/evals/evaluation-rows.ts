import type { Operation } from '../../kernel/operation.ts'

/** Rows that are wanted: from a place on, at most so many, perhaps of one task, right or wrong ones only. */
export interface RowQuery {
  readonly from: number
  readonly limit: number
  readonly task?: string | undefined
  readonly right?: boolean | undefined
}

/** A row of an evaluation as it is stored. */
export type EvaluationRow = Awaited<ReturnType<typeof listEvaluationRows>>[number]

/** Lists rows of an evaluation in their order. */
export async function listEvaluationRows(op: Operation, evaluationId: string, query: RowQuery) {
  const { from, limit, task, right } = query
  return await op.read((q) => {
    let rows = q
      .selectFrom('evaluation_rows')
      .select(['place', 'task', 'row_hash as rowHash', 'sample', 'outcome', 'is_right as isRight'])
      .where('evaluation_id', '=', evaluationId)
      .where('tenant_id', '=', op.tenantId)
      .where('place', '>=', from)
      .orderBy('place')
      .limit(limit)
    if (task !== undefined) rows = rows.where('task', '=', task)
    return right === undefined ? rows : rows.where('is_right', '=', right)
  })
}

const PAGE = 500

/** Reads all rows of an evaluation in their order, some at a time. */
export async function* eachEvaluationRow(op: Operation, evaluationId: string): AsyncGenerator<EvaluationRow> {
  for (let from = 0; ;) {
    const rows = await listEvaluationRows(op, evaluationId, { from, limit: PAGE })
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    from = last.place + 1
  }
}
