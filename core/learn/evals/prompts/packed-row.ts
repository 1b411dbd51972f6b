/** A row as it is stored: packed in the thread, so that its caller neither hashes nor writes it. */
export interface PackedRow {
  readonly task: string
  /** SHA-256 of the columns. */
  readonly hash: Uint8Array
  /** JSON of the prepared row, see `storableJson`. */
  readonly sample: string
}
