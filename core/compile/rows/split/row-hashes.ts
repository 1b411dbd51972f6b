import { createHash } from 'node:crypto'
import { canonicalJson, type Sha256 } from '../../../kernel/json/json.ts'
import type { Row } from '../../task.ts'

/**
 * The hash of a set of rows: SHA-256 over the canonical JSON of `[{expected, input}, ...]` in the order of the rows,
 * taken piece by piece.
 */
export function hashRows(rows: Iterable<Row>): Sha256 {
  const digest = createHash('sha256').update('[')
  let first = true
  for (const { input, output } of rows) {
    digest.update(`${first ? '' : ','}${canonicalJson({ expected: output, input })}`)
    first = false
  }
  return `sha256:${digest.update(']').digest('hex')}`
}
