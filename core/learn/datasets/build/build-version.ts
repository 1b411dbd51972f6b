import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LEARN_ERRORS } from '../../errors.ts'
import { isJsonObject, type Json, type Sha256 } from '../../../kernel/json/json.ts'
import { readLines } from '../../../compile/rows/intake/byte-lines.ts'
import { MerkleFrontier } from '../../../ledger/merkle/frontier.ts'
import { openFiles, rowsOfFile } from '../files/open-rows.ts'
import { countRecords, HASH_BYTES, placeRow, readRecord, RECORD_BYTES } from '../index/row-index.ts'
import { reportQuality } from '../quality/report-quality.ts'
import { readContent } from '../rows/read-content.ts'
import { readRow } from '../rows/stored-row.ts'
import { chooseHoldout, orderByHash, type SplitWish } from '../split/choose-holdout.ts'
import { HeldKeys } from '../split/held-keys.ts'
import type { Strata } from '../split/strata.ts'
import { openTokenizer } from './open-tokenizer.ts'
import type { BuildInput, BuildSummary } from './build-task.ts'
import { VersionWriter } from './version-writer.ts'

/** Longest line of stored rows. */
const LINE_BYTES = 64 * 1024 * 1024
/** Rows between two reports of progress. */
const REPORTED = 5000

type Tell = (step: string, done: number) => void

/**
 * Builds a version of a dataset out of files: reads and checks the rows, leaves duplicates out, groups and splits them,
 * and measures their quality. A function of its input alone. Throws the error of a file or a row, `no_rows`,
 * `too_many_rows` and `dataset_split_error`.
 */
export async function buildVersion(input: BuildInput, tell: Tell = () => {}): Promise<BuildSummary> {
  const writer = new VersionWriter(input.folder, input.mostRows)
  try {
    await addPrevious(writer, input, tell)
    await addCaptures(writer, input, tell)
    await addFiles(writer, input, tell)
  } finally {
    writer.close()
  }
  const { kind, index } = writer
  if (kind === undefined) {
    throw LEARN_ERRORS.empty_dataset(
      'there are no rows: captures may wait for a review, be forgotten, or be no examples',
    )
  }
  const strata = writer.strata.strata()
  const groupOf = writer.groups.groups(() => tell('group', writer.size))
  writer.groups.release()
  const sides = splitIndex(index, { groupOf, strata, input })
  tell('split', writer.size)
  const paths = {
    rows: join(input.folder, 'rows.jsonl'),
    index: join(input.folder, 'index'),
    held: join(input.folder, 'held'),
    captures: join(input.folder, 'captures-used.jsonl'),
  }
  writeFileSync(paths.index, index)
  writeFileSync(paths.held, sides.heldKeys)
  const quality = await reportQuality({
    ...paths,
    records: index,
    groupOf,
    strata,
    kind,
    duplicates: writer.duplicates,
    previous: input.previous,
    otherHoldouts: input.otherHoldouts,
    benchPacks: input.benchPacks,
    tokenizer: await openTokenizer(input.tokenizer),
    tell,
  })
  return {
    files: paths,
    rows: writer.size,
    train: writer.size - sides.held,
    held: sides.held,
    ...kind,
    duplicates: writer.duplicates,
    root: rootOf(index),
    seed: sides.seed,
    splitSignature: sides.signature,
    groups: countGroups(groupOf),
    byLabel: strata.labels !== null,
    sources: [...writer.sources].map(([name, rows]) => ({ name, rows })).sort((a, b) => b.rows - a.rows),
    quality,
  }
}

/** Returns the root of the Merkle tree over the rows of an index; tombstones are leaves as all others. */
export function rootOf(index: Buffer): Sha256 {
  const tree = new MerkleFrontier()
  for (let row = 0; row < countRecords(index); row++) tree.append(readRecord(index, row).hash)
  return tree.root()
}

/** The rows of the version before that were neither forgotten nor taken out. */
async function addPrevious(writer: VersionWriter, { previous, removed }: BuildInput, tell: Tell): Promise<void> {
  if (previous === null) return
  const index = readFileSync(previous.index)
  const left = new Set(removed)
  const places = liveRecords(index)
  for await (const line of readLines(createReadStream(previous.rows), LINE_BYTES)) {
    const { id, source, conversation, row } = readRow(new TextDecoder().decode(line.bytes))
    const record = places.next().value
    if (left.delete(id)) continue
    const field = `row ${id}`
    const own = id.startsWith('row_') ? null : id
    const isGivenHeld = record?.isGivenHeld === true
    writer.add({ ...readContent(row, field), id: own, source, conversation, isGivenHeld, field })
    if (writer.size % REPORTED === 0) tell('read', writer.size)
  }
  if (left.size > 0) {
    const named = [...left].slice(0, 20)
    throw LEARN_ERRORS.unknown_rows(`remove: the version before has no ${named.join(', ')}`, {
      details: { ids: named },
    })
  }
}

function* liveRecords(index: Buffer) {
  for (let row = 0; row < countRecords(index); row++) {
    const record = readRecord(index, row)
    if (!record.isForgotten) yield record
  }
}

async function addCaptures(writer: VersionWriter, { captures }: BuildInput, tell: Tell): Promise<void> {
  if (captures === null) return
  for await (const line of readLines(createReadStream(captures), LINE_BYTES)) {
    const value: Json = JSON.parse(new TextDecoder().decode(line.bytes))
    if (!isJsonObject(value) || !isJsonObject(value['row'])) throw new Error('a capture has no row')
    const { id, conversation, row } = value
    if (typeof id !== 'string') throw new Error('a capture has no id')
    const field = `capture ${id}`
    writer.add({
      ...readContent(row, field),
      id,
      source: 'captures',
      conversation: typeof conversation === 'string' ? conversation : null,
      isGivenHeld: false,
      field,
    })
    if (writer.size % REPORTED === 0) tell('read', writer.size)
  }
}

async function addFiles(
  writer: VersionWriter,
  { files: given, folder, bounds }: BuildInput,
  tell: Tell,
): Promise<void> {
  const files = await openFiles(given, { into: folder, bounds })
  for (const file of files) {
    for await (const { value, field } of rowsOfFile(file, bounds, files.length > 1)) {
      const talk = value['conversation_id']
      const conversation = typeof talk === 'string' || typeof talk === 'number' ? String(talk) : null
      const content = readContent(value, field)
      writer.add({ ...content, id: null, source: file.name, conversation, isGivenHeld: file.isHeld, field })
      if (writer.size % REPORTED === 0) tell('read', writer.size)
    }
  }
}

interface Sides {
  readonly held: number
  readonly seed: string
  readonly signature: Sha256
  readonly heldKeys: Buffer
}

/** Puts each row of an index on its side. Rows whose input was ever held out stay so, and take their group along. */
function splitIndex(
  index: Buffer,
  { groupOf, strata, input }: { readonly groupOf: Uint32Array; readonly strata: Strata; readonly input: BuildInput },
): Sides {
  const rows = countRecords(index)
  const ever = new HeldKeys(input.previous === null ? new Uint8Array(0) : readFileSync(input.previous.held))
  const hashes = Buffer.alloc(rows * HASH_BYTES)
  const forced = new Uint8Array(rows)
  for (let row = 0; row < rows; row++) {
    index.copy(hashes, row * HASH_BYTES, row * RECORD_BYTES, row * RECORD_BYTES + HASH_BYTES)
    const { key, isGivenHeld } = readRecord(index, row)
    if (isGivenHeld || ever.has(key)) forced[row] = 1
  }
  const order = orderByHash(hashes)
  const sorted = createHash('sha256')
  for (const row of order) sorted.update(hashes.subarray(row * HASH_BYTES, (row + 1) * HASH_BYTES))
  const { isStrict, seed: given, ...wish } = input.split
  const seed = given ?? sorted.digest('hex')
  const held = chooseHoldout({ hashes, groupOf, strata, forced }, order, { ...wish, seed })
  const keys: Uint8Array[] = []
  for (let row = 0; row < rows; row++) {
    const isHeld = held[row] === 1
    placeRow(index, row, { group: groupOf[row] ?? row, isHeld })
    if (isHeld) keys.push(readRecord(index, row).key)
  }
  if (isStrict) requireSides(rows, keys.length)
  requireLeast(rows, keys.length, wish)
  const signature = createHash('sha256')
  for (const row of order) {
    signature.update(hashes.subarray(row * HASH_BYTES, (row + 1) * HASH_BYTES)).update(held[row] === 1 ? '1' : '0')
  }
  return { held: keys.length, seed, signature: `sha256:${signature.digest('hex')}`, heldKeys: ever.with(keys) }
}

function requireSides(rows: number, held: number): void {
  if (held > 0 && held < rows) return
  const why =
    held === 0
      ? 'no row is held out: the ratio leaves no place for one, or every group of conversations and near-duplicates is larger than that'
      : 'every row was held out once, and stays so'
  throw LEARN_ERRORS.dataset_split_error(`train_ratio: ${why}; choose another ratio or add rows`, {
    details: { rows, holdout_count: held },
  })
}

function requireLeast(
  rows: number,
  held: number,
  { minTrain, minHoldout }: Pick<SplitWish, 'minTrain' | 'minHoldout'>,
): void {
  const short = [
    { field: 'min_train', count: rows - held, least: minTrain, of: 'to learn from' },
    { field: 'min_holdout', count: held, least: minHoldout, of: 'held out' },
  ].find(({ count, least }) => count < least)
  if (short === undefined) return
  const { field, count, least, of } = short
  throw LEARN_ERRORS.dataset_split_error(
    `${field}: ${count} of ${rows} rows are ${of}, fewer than ${least}; groups and rows that were held out once stay whole. Add rows or ask for fewer`,
    { details: { rows, train_count: rows - held, holdout_count: held } },
  )
}

function countGroups(groupOf: Uint32Array): number {
  return groupOf.reduce((count, group, row) => count + (group === row ? 1 : 0), 0)
}
