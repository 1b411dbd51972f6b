import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { leafHash } from '../../../ledger/merkle/frontier.ts'

/** A row of a version with what is known of it. */
export interface StoredRow {
  readonly id: string
  /** Its source: `captures`, `inline`, or the name of its file. */
  readonly source: string
  /** The conversation that it belongs to; null where none is known. */
  readonly conversation: string | null
  readonly row: JsonObject
}

/** Characters of the hash in the id of a row. */
const ID_CHARS = 26

/** Returns the hash of a row, which is its leaf in the Merkle tree (RFC 6962, 2.1) of the RFC 8785 form of its content. */
export function hashRow(canonical: string): Buffer {
  return leafHash(canonical)
}

/** Returns the id of a row that is no capture: of its content, so that it is the same in every version. */
export function rowId(hash: Uint8Array): string {
  return `row_${Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex').slice(0, ID_CHARS)}`
}

/** Returns the stored line of a row, whose content is written in RFC 8785 form already. */
export function writeRow({ id, source, conversation }: Omit<StoredRow, 'row'>, canonical: string): string {
  const talk = conversation === null ? '' : `,"conversation":${JSON.stringify(conversation)}`
  return `{"id":${JSON.stringify(id)},"source":${JSON.stringify(source)}${talk},"row":${canonical}}\n`
}

/** Reads a stored line. Throws for a line that `writeRow` did not write. */
export function readRow(line: string): StoredRow {
  const value: Json = JSON.parse(line)
  if (!isJsonObject(value)) throw new Error('a stored row is no object')
  const { id, source, conversation, row } = value
  if (typeof id !== 'string' || typeof source !== 'string' || !isJsonObject(row)) {
    throw new Error('a stored row lacks its members')
  }
  return { id, source, conversation: typeof conversation === 'string' ? conversation : null, row }
}

/** Returns the content of a row in RFC 8785 form. */
export function canonicalRow(row: JsonObject): string {
  return canonicalJson(row)
}
