import type { JsonObject } from '../../../core/kernel/json/json.ts'

/** The first and the last byte of a response, both included. */
export interface DownloadedPart {
  readonly start: number
  readonly end: number
}

/** Returns the payload of a download's line in the ledger: the bytes sent, when it was not the whole file. */
export function partPayload(part: DownloadedPart | undefined): JsonObject {
  return part === undefined ? {} : { first_byte: part.start, last_byte: part.end }
}
