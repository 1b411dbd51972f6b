import { createReadStream, readFileSync } from 'node:fs'
import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { scanText } from '../../../gateway/gate/privacy/scan/scan-text.ts'
import { readLines } from '../../../compile/rows/intake/byte-lines.ts'
import type { VersionFiles } from '../build/build-task.ts'
import { diffIndexes } from '../index/diff-indexes.ts'
import { countRecords, readRecord } from '../index/row-index.ts'
import { pairOf, textOf, type RowContent } from '../rows/row-content.ts'
import { readRow, type StoredRow } from '../rows/stored-row.ts'
import type { Strata } from '../split/strata.ts'
import { HeldRuns } from './contamination.ts'
import { ContradictionCensus } from './contradictions.ts'
import type { LabelledText } from './label-model.ts'
import { findLabelNoise } from './label-noise.ts'
import { quantilesOf } from './quantiles.ts'
import { MOST_NAMED, SAMPLE_CHARS, SAMPLE_ROWS, type QualityReport, type VersionChange } from './quality-report.ts'

/** Longest line of stored rows. */
const LINE_BYTES = 64 * 1024 * 1024
const REPORTED = 2000
/** Labels that a report counts. */
const MOST_LABELS = 20

/** Counts the tokens of a text. */
export interface TokenCounter {
  readonly name: string
  count(text: string): number
}

/** The version that is measured. */
export interface MeasuredVersion {
  readonly rows: string
  readonly records: Buffer
  readonly groupOf: Uint32Array
  readonly strata: Strata
  readonly kind: Pick<RowContent, 'type' | 'form'>
  readonly duplicates: number
  readonly previous: VersionFiles | null
  readonly otherHoldouts: string | null
  readonly benchPacks: string | null
  /** Null where no tokenizer is installed. */
  readonly tokenizer: TokenCounter | null
  readonly tell: (step: string, done: number) => void
}

/** Measures the quality of a version. Figures that take long are of the rows with the smallest hashes, at most 20,000. */
export async function reportQuality(version: MeasuredVersion): Promise<QualityReport> {
  const { records, groupOf, strata, kind, tell } = version
  const total = countRecords(records)
  const inSample = samplerOf(records)
  const contradictions = kind.type === 'prompt_completion' ? new ContradictionCensus(records) : null
  const own = new HeldRuns()
  const texts: LabelledText[] = []
  const characters: number[] = []
  const tokens: number[] = []
  const finds = new PiiCensus()
  let chars = 0
  const toCompare: { readonly id: string; readonly text: string }[] = []
  let place = 0
  for await (const { bytes } of readLines(createReadStream(version.rows), LINE_BYTES)) {
    const at = place++
    const isSampled = chars < SAMPLE_CHARS && inSample(at)
    const isRepeated = contradictions?.isRepeated(at) === true
    if (!isSampled && !isRepeated) continue
    const stored = readRow(new TextDecoder().decode(bytes))
    if (isRepeated) contradictions?.add(at, stored)
    if (!isSampled) continue
    const whole = textOf(stored.row)
    characters.push(whole.length)
    chars += whole.length
    if (version.tokenizer !== null) tokens.push(version.tokenizer.count(whole))
    finds.add(stored, whole)
    const text = textOf(pairOf(stored.row).input)
    if (readRecord(records, at).isHeld) own.hold(text)
    else toCompare.push({ id: stored.id, text })
    if (strata.labels !== null) {
      texts.push({ id: stored.id, text, label: strata.of[at] ?? 0, group: groupOf[at] ?? at })
    }
    if (characters.length % REPORTED === 0) tell('measure', at)
  }
  for (const { id, text } of toCompare) own.compare(id, text)
  tell('measure', total)
  const labels = strata.labels?.map((label) => String(JSON.parse(label)))
  const noise = labels === undefined ? null : findLabelNoise(texts, labels)
  tell('measure', total)
  return {
    duplicates: { exact_removed: version.duplicates, ...groupFigures(groupOf) },
    contradictions: contradictions?.report() ?? null,
    labels: labels === undefined ? null : labelCounts(labels, strata, records),
    label_noise: noise,
    pii: finds.report(),
    characters: quantilesOf(characters),
    tokens: version.tokenizer === null ? null : { tokenizer: version.tokenizer.name, ...quantilesOf(tokens) },
    contamination: {
      own: own.report(),
      others: await compareOthers(version.otherHoldouts, toCompare),
      benchmarks: await comparePacks(version.benchPacks, toCompare),
    },
    change: changeOf(version),
  }
}

/** Counts the rows of the most frequent labels by side. */
function labelCounts(labels: readonly string[], { of, sizes }: Strata, records: Buffer): QualityReport['labels'] {
  const held = labels.map(() => 0)
  of.forEach((label, row) => {
    if (readRecord(records, row).isHeld) held[label] = (held[label] ?? 0) + 1
  })
  return labels
    .map((label, number) => ({ label, rows: sizes[number] ?? 0, holdout: held[number] ?? 0 }))
    .sort((a, b) => b.rows - a.rows || (a.label < b.label ? -1 : 1))
    .slice(0, MOST_LABELS)
    .map(({ label, rows, holdout }) => ({ label, train: rows - holdout, holdout }))
}

/** Returns whether a row is one of those that slow figures are measured on: all, or those with the smallest hashes. */
function samplerOf(records: Buffer): (place: number) => boolean {
  const total = countRecords(records)
  if (total <= SAMPLE_ROWS) return () => true
  const heads = Uint32Array.from({ length: total }, (_, row) =>
    Buffer.from(readRecord(records, row).hash).readUInt32BE(0),
  )
  const bound = heads.toSorted()[SAMPLE_ROWS] ?? 0
  return (place) => (heads[place] ?? 0) < bound
}

function groupFigures(groupOf: Uint32Array) {
  const sizes = new Uint32Array(groupOf.length)
  for (const group of groupOf) sizes[group] = (sizes[group] ?? 0) + 1
  let [groups, grouped, largest] = [0, 0, 0]
  for (const size of sizes) {
    if (size > largest) largest = size
    if (size < 2) continue
    groups++
    grouped += size
  }
  return { groups, grouped_rows: grouped, largest_group: largest }
}

/** Counts sensitive text by its class. */
class PiiCensus {
  #rows = 0
  #found = 0
  readonly #classes: Record<string, number> = {}
  readonly #ids: string[] = []

  add({ id }: StoredRow, text: string): void {
    this.#rows++
    const kinds = new Set(scanText(text).map((find) => find.kind))
    if (kinds.size === 0) return
    this.#found++
    if (this.#ids.length < MOST_NAMED) this.#ids.push(id)
    for (const kind of kinds) this.#classes[kind] = (this.#classes[kind] ?? 0) + 1
  }

  report(): QualityReport['pii'] {
    return { rows: this.#rows, rows_with_finds: this.#found, classes: this.#classes, row_ids: this.#ids }
  }
}

async function comparePacks(
  path: string | null,
  rows: readonly { readonly id: string; readonly text: string }[],
): Promise<QualityReport['contamination']['benchmarks']> {
  const found = await compareOthers(path, rows)
  if (found === null) return null
  const { datasets: packs, ...report } = found
  return { ...report, packs }
}

async function compareOthers(
  path: string | null,
  rows: readonly { readonly id: string; readonly text: string }[],
): Promise<QualityReport['contamination']['others']> {
  if (path === null) return null
  const runs = new HeldRuns()
  const datasets = new Set<string>()
  for await (const { bytes } of readLines(createReadStream(path), LINE_BYTES)) {
    const value: Json = JSON.parse(new TextDecoder().decode(bytes))
    const { dataset_id: id, text } = isJsonObject(value) ? value : {}
    if (typeof id !== 'string' || typeof text !== 'string') continue
    datasets.add(id)
    runs.hold(text)
  }
  for (const { id, text } of rows) runs.compare(id, text)
  return { ...runs.report(), datasets: [...datasets] }
}

function changeOf({ previous, records }: MeasuredVersion): VersionChange | null {
  if (previous === null) return null
  const { kept, counts } = diffIndexes(readFileSync(previous.index), records, 0)
  return { ...counts, kept }
}
