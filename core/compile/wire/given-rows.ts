/** A list of a large body that was parsed beside the event loop: its JSON, which only the intake reads. */
export class HeldRows {
  readonly count: number
  /** Private, so that code that walks a body does not walk its bytes. */
  readonly #json: Uint8Array

  constructor(json: Uint8Array, count: number) {
    this.#json = json
    this.count = count
  }

  get json(): Uint8Array {
    return this.#json
  }
}

/** Examples as a body gave them: a list, or one that stayed bytes. */
export type GivenRows = readonly unknown[] | HeldRows

/** Returns true for a value that a body may give as examples. */
export function isGivenRows(value: unknown): value is GivenRows {
  return Array.isArray(value) || value instanceof HeldRows
}

/** Returns the number of given rows. */
export function countRows(rows: GivenRows): number {
  return rows instanceof HeldRows ? rows.count : rows.length
}
