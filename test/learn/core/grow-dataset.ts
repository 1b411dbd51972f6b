import { readFileSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildVersion } from '../../../core/learn/datasets/build/build-version.ts'
import type { BuildInput, BuildSummary, VersionFiles } from '../../../core/learn/datasets/build/build-task.ts'
import { countRecords, readRecord } from '../../../core/learn/datasets/index/row-index.ts'
import { mulberry32 } from '../../../core/model/classifier/logistic-regression.ts'

/** A build of nothing: its callers add files. */
export const INPUT: Omit<BuildInput, 'folder' | 'files'> = {
  captures: null,
  previous: null,
  removed: [],
  split: { trainRatio: 0.8, minTrain: 0, minHoldout: 0, seed: null, isStrict: false },
  bounds: { rowBytes: 10_000, jsonDepth: 8, inflatedBytes: 1_000_000 },
  mostRows: 10_000,
  tokenizer: null,
  otherHoldouts: null,
  benchPacks: null,
}

/** Builds a version of one file of a folder. */
export async function buildFrom(folder: string, name: string, mostRows = INPUT.mostRows): Promise<BuildSummary> {
  return await buildVersion({ ...INPUT, mostRows, folder, files: [{ name, path: join(folder, name), isHeld: false }] })
}

/**
 * Grows a dataset at random: rows are added and taken out, ratios and seeds change, conversations and near-duplicates come
 * late. Counts the rows that were held out in any version and are to learn from in a later one.
 */
export async function growDataset(
  folder: string,
  { seed, versions }: { readonly seed: number; readonly versions: number },
): Promise<{ readonly versions: number; readonly moved: number }> {
  const random = mulberry32(seed)
  const below = (count: number): number => Math.floor(random() * count)
  const everHeld = new Set<string>()
  let previous: VersionFiles | null = null
  let moved = 0
  for (let version = 1; version <= versions; version++) {
    const work = join(folder, `v${version}`)
    await mkdir(work)
    const rows = Array.from({ length: 20 + below(60) }, () => rowOf(below))
    await writeFile(join(work, 'given.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'))
    const { files }: BuildSummary = await buildVersion({
      ...INPUT,
      folder: work,
      files: [{ name: 'given.jsonl', path: join(work, 'given.jsonl'), isHeld: false }],
      previous,
      removed: previous === null ? [] : someIds(previous, below),
      split: { ...INPUT.split, trainRatio: 0.5 + random() / 2.1, seed: below(2) === 0 ? null : String(seed) },
    })
    const before = join(folder, `kept-${version}`)
    await mkdir(before)
    for (const file of ['rows.jsonl', 'index', 'held']) await cp(join(work, file), join(before, file))
    previous = { rows: join(before, 'rows.jsonl'), index: join(before, 'index'), held: join(before, 'held') }
    const index = readFileSync(files.index)
    for (let place = 0; place < countRecords(index); place++) {
      const { key, isHeld } = readRecord(index, place)
      const name = Buffer.from(key).toString('hex')
      if (isHeld) everHeld.add(name)
      else if (everHeld.has(name)) moved++
    }
  }
  return { versions, moved }
}

const WORDS = 'red blue parcel invoice door lamp street glass wood stone late early small large'.split(' ')

function rowOf(below: (count: number) => number): object {
  const words = Array.from({ length: 6 + below(8) }, () => WORDS[below(WORDS.length)])
  const talk = below(6) === 0 ? { conversation_id: `c${below(5)}` } : {}
  return { prompt: `${words.join(' ')} ${below(40)}`, completion: `label ${below(3)}`, ...talk }
}

function someIds({ rows }: VersionFiles, below: (count: number) => number): readonly string[] {
  return readFileSync(rows, 'utf8')
    .trim()
    .split('\n')
    .filter(() => below(8) === 0)
    .map((line) => /"id":"([^"]+)"/.exec(line)?.[1] ?? '')
}
