import { listText, type ListText } from '../../../kernel/json/list-text.ts'
import type { RowResultRecord } from './row-result.ts'

/** Results of rows as lists of one statement, which a thread can write. */
export interface PackedResults {
  readonly rowIds: ListText<string>
  readonly places: ListText<number>
  readonly folds: ListText<number | null>
  readonly results: ListText<RowResultRecord['result']>
  readonly areRight: ListText<boolean>
  readonly confidences: ListText<number | null>
  readonly categories: ListText<string>
  readonly areUnlike: ListText<boolean | null>
  readonly failedChecks: ListText<string>
  readonly rowHashes: ListText<Uint8Array>
  readonly gotHashes: ListText<Uint8Array>
}

/** Packs results of rows for the way into the database. */
export function packResults(records: readonly RowResultRecord[]): PackedResults {
  return {
    rowIds: listText(records.map(({ rowId }) => rowId)),
    places: listText(records.map(({ place }) => place)),
    folds: listText(records.map(({ fold }) => fold)),
    results: listText(records.map(({ result }) => result)),
    areRight: listText(records.map(({ right }) => right)),
    confidences: listText(records.map(({ confidence }) => confidence)),
    categories: listText(records.map(({ category }) => category)),
    areUnlike: listText(records.map(({ unlike }) => unlike)),
    failedChecks: listText(records.map(({ failedChecks }) => JSON.stringify(failedChecks))),
    rowHashes: listText(records.map(({ rowHash }) => bytesOf(rowHash))),
    gotHashes: listText(records.map(({ gotHash }) => bytesOf(gotHash))),
  }
}

function bytesOf(hash: string): Uint8Array {
  return Buffer.from(hash.slice('sha256:'.length), 'hex')
}
