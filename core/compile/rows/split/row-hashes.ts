import { createHash } from 'node:crypto'
import { canonicalJson, sha256, type Json, type Sha256 } from '../../../kernel/json/json.ts'
import type { Row } from '../task.ts'

/** Returns the hash of unlabelled inputs: of their list in the order of their canonical JSON. */
export function hashUnlabelled(inputs: readonly Json[]): Sha256 {
  const ordered = inputs.map((input) => canonicalJson(input)).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sha256(`[${ordered.join(',')}]`)
}

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
