import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { hash } from 'node:crypto'
import { invalidField } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../../compile/errors.ts'
import { foldedWords } from '../../../compile/rows/split/input-text.ts'
import { KeyTable } from '../../../compile/rows/intake/census/key-table.ts'
import { GrowingMemory } from '../index/growing-memory.ts'
import { HASH_BYTES, KEY_BYTES, RECORD_BYTES, writeRecord } from '../index/row-index.ts'
import { canonicalRow, hashRow, rowId, writeRow } from '../rows/stored-row.ts'
import { labelOf, pairOf, textOf, type RowContent } from '../rows/row-content.ts'
import { MOST_GROUPED_ROWS, NearGroups } from '../split/near-groups.ts'
import { StrataCensus } from '../split/strata.ts'

const BUFFER_BYTES = 1 << 20

/** A row to write, with what is known of it. */
export interface NewRow extends RowContent {
  /** Its id where it has one of its own: that of a capture. */
  readonly id: string | null
  readonly source: string
  readonly conversation: string | null
  readonly isGivenHeld: boolean
  /** Its place, for errors. */
  readonly field: string
}

/**
 * Writes the rows of a version one after another, duplicates left out, and collects what a split needs of them in typed
 * arrays: hashes, groups and labels.
 */
export class VersionWriter {
  readonly groups: NearGroups
  readonly strata: StrataCensus
  readonly sources = new Map<string, number>()
  duplicates = 0
  #kind: Pick<RowContent, 'type' | 'form'> | undefined
  #firstField = ''
  readonly #memory: GrowingMemory
  #rows = 0
  #offset = 0
  #known = new KeyTable()
  #inputs = new KeyTable()
  readonly #conversations = new Map<string, number>()
  readonly #lines: Lines
  readonly #captures: Lines
  readonly #mostRows: number

  constructor(folder: string, mostRows: number) {
    this.#lines = new Lines(join(folder, 'rows.jsonl'))
    this.#captures = new Lines(join(folder, 'captures-used.jsonl'))
    const most = Math.min(mostRows, MOST_GROUPED_ROWS)
    this.#mostRows = most
    this.#memory = new GrowingMemory(most * RECORD_BYTES)
    this.groups = new NearGroups(most)
    this.strata = new StrataCensus(most)
  }

  /** Number of rows. */
  get size(): number {
    return this.#rows
  }

  /** Type and form of the rows; undefined before the first. */
  get kind(): Pick<RowContent, 'type' | 'form'> | undefined {
    return this.#kind
  }

  /** The records of the rows. */
  get index(): Buffer {
    return Buffer.from(this.#memory.buffer, 0, this.#rows * RECORD_BYTES)
  }

  /** Takes a row. Throws `mixed_row_types` for one of another type than the rows before, and `too_many_rows`. */
  add(row: NewRow): void {
    this.#checkKind(row)
    const canonical = canonicalRow(row.row)
    const digest = hashRow(canonical)
    const id = row.id ?? rowId(digest)
    const place = this.#rows
    const { earlierTag } = this.#known.put(shortOf(digest), place * 2)
    const first = earlierTag === null ? place : earlierTag >>> 1
    if (row.id !== null) {
      const named = first === place ? digest : this.#hashOf(first)
      this.#captures.write(`${JSON.stringify({ capture: row.id, row: named.toString('hex') })}\n`)
    }
    if (first !== place) {
      this.duplicates++
      // The same row in two conversations ties them together.
      this.#joinConversation(row.conversation, first)
      return
    }
    if (place >= this.#mostRows) throw tooMany(this.#mostRows)
    const pair = pairOf(row.row)
    const text = textOf(pair.input)
    const words = foldedWords(text)
    // Texts without any word (signs only) are compared unchanged.
    const key = hash('sha256', words.length > 0 ? words.join(' ') : text.trim(), 'buffer').subarray(0, KEY_BYTES)
    const same = this.#inputs.put(shortOf(key), place * 2).earlierTag
    this.groups.add(words, same === null ? -1 : same >>> 1)
    this.strata.add(labelOf(row))
    const line = Buffer.from(writeRow({ id, source: row.source, conversation: row.conversation }, canonical))
    this.#memory.reach((place + 1) * RECORD_BYTES)
    writeRecord(Buffer.from(this.#memory.buffer), place, {
      hash: digest,
      key,
      offset: this.#offset,
      length: line.length,
      group: place,
      isHeld: false,
      isForgotten: false,
      isGivenHeld: row.isGivenHeld,
    })
    this.#lines.write(line)
    this.#offset += line.length
    this.#rows++
    this.sources.set(row.source, (this.sources.get(row.source) ?? 0) + 1)
    this.#joinConversation(row.conversation, place)
  }

  /** Writes what waits, closes the files, and gives the memory back that only further rows need. */
  close(): void {
    this.#lines.close()
    this.#captures.close()
    this.#known = new KeyTable()
    this.#inputs = new KeyTable()
    this.#conversations.clear()
  }

  #checkKind({ type, form, field }: NewRow): void {
    const kind = this.#kind
    if (kind === undefined) {
      this.#kind = { type, form }
      this.#firstField = field
      return
    }
    if (kind.type === type && kind.form === form) return
    // Texts beside other JSON are rows of one form; messages beside texts are not.
    if (kind.type === type && kind.form !== 'messages' && form !== 'messages') {
      this.#kind = { type, form: 'json' }
      return
    }
    const name = (each: Pick<RowContent, 'type' | 'form'>) =>
      each.form === 'messages' ? `${each.type} of messages` : each.type
    throw invalidField(
      field,
      `is a row of type ${name({ type, form })}, and the rows before are ${name(kind)} (${this.#firstField}); import one type into a dataset`,
    )
  }

  #joinConversation(conversation: string | null, place: number): void {
    if (conversation === null) return
    const first = this.#conversations.get(conversation)
    if (first === undefined) this.#conversations.set(conversation, place)
    else this.groups.join(first, place)
  }

  #hashOf(place: number): Buffer {
    return Buffer.from(this.#memory.buffer, place * RECORD_BYTES, HASH_BYTES)
  }
}

/** A file that is written in large pieces. */
export class Lines {
  readonly #file: number
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #used = 0

  constructor(path: string) {
    this.#file = openSync(path, 'w')
  }

  /** Writes bytes, or a text as UTF-8. */
  write(piece: Uint8Array | string): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    if (this.#used + bytes.length > BUFFER_BYTES) this.#flush()
    if (bytes.length > BUFFER_BYTES) {
      writeSync(this.#file, bytes)
      return
    }
    this.#buffer.set(bytes, this.#used)
    this.#used += bytes.length
  }

  /** Writes what waits, and closes the file. */
  close(): void {
    this.#flush()
    closeSync(this.#file)
  }

  #flush(): void {
    if (this.#used > 0) writeSync(this.#file, this.#buffer, 0, this.#used)
    this.#used = 0
  }
}

function shortOf(digest: Uint8Array): { readonly high: number; readonly low: number } {
  const bytes = Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength)
  return { high: bytes.readUInt32BE(0), low: bytes.readUInt32BE(4) }
}

function tooMany(most: number) {
  return COMPILE_ERRORS.too_many_rows(`more than ${most} rows; import fewer, or several datasets`, {
    details: { max: most },
  })
}
