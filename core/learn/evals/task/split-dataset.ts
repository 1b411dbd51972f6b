import { invalidField } from '../../../kernel/errors.ts'
import type { IndexRecord } from '../../datasets/index/row-index.ts'
import type { Limits } from '../../limits.ts'
import type { EvalDataset } from '../evaluation.ts'

type SplitLimits = Pick<Limits, 'evaluation_rows' | 'evaluation_prompt_bytes'>
const LOWER = 'set limit to fewer rows'

/**
 * Splits rows into evaluated ones and examples. The first rows of the asked side are evaluated, up to the limit of the call. Examples are
 * other rows to learn from, as many as fit into the bounds of an evaluation. Throws `validation_failed` for more rows to score than that.
 */
export async function splitRows<Row extends { readonly record: IndexRecord }>(
  rows: AsyncIterable<Row>,
  side: EvalDataset['side'],
  { limits, limit }: { readonly limits: SplitLimits; readonly limit: number | null },
): Promise<{ readonly evaluated: readonly Row[]; readonly examples: readonly Row[] }> {
  const { evaluation_rows: mostRows, evaluation_prompt_bytes: mostBytes } = limits
  const most = limit ?? Infinity
  const evaluated: Row[] = []
  const examples: Row[] = []
  const bytes = { evaluated: 0, examples: 0 }
  for await (const row of rows) {
    const { isHeld, length } = row.record
    const isAsked = side === 'all' || isHeld === (side === 'holdout')
    if (isAsked && evaluated.length < most) {
      bytes.evaluated += length
      if (evaluated.length === mostRows) throw invalidField('dataset', `has more than ${mostRows} such rows; ${LOWER}`)
      if (bytes.evaluated > mostBytes) {
        throw invalidField('dataset', `has more than ${mostBytes} bytes of such rows; ${LOWER}`)
      }
      evaluated.push(row)
    } else if (!isHeld && examples.length < mostRows && bytes.examples + length <= mostBytes) {
      bytes.examples += length
      examples.push(row)
    } else if (evaluated.length === most && examples.length === mostRows) break
  }
  const asked = new Set(evaluated.map(({ record }) => hashOf(record)))
  return { evaluated, examples: examples.filter(({ record }) => !asked.has(hashOf(record))) }
}

/** The content of a row as a key. */
export function hashOf({ hash }: IndexRecord): string {
  return Buffer.from(hash).toString('hex')
}
