import type { JsonObject } from '../../../core/kernel/json/json.ts'

/** The first and the last byte of an answer, both included. */
export interface DownloadedPart {
  readonly start: number
  readonly end: number
}

/** The payload of a download's line in the ledger: which bytes left, when it was not the whole file. */
export function partPayload(part: DownloadedPart | undefined): JsonObject {
  return part === undefined ? {} : { first_byte: part.start, last_byte: part.end }
}
