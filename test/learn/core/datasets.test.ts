import { mkdtempSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { parquetRows } from '../../../core/learn/datasets/files/parquet-rows.ts'
import { readContent } from '../../../core/learn/datasets/rows/read-content.ts'
import { findLabelNoise } from '../../../core/learn/datasets/quality/label-noise.ts'
import { HeldRuns } from '../../../core/learn/datasets/quality/contamination.ts'
import { groupNearDuplicates } from '../../../core/compile/rows/split/near-duplicates.ts'
import { foldedWords } from '../../../core/compile/rows/split/input-text.ts'
import { runDiff } from '../../../core/learn/datasets/build/build-threads.ts'
import { diffIndexes } from '../../../core/learn/datasets/index/diff-indexes.ts'
import { KEY_BYTES, RECORD_BYTES, writeRecord } from '../../../core/learn/datasets/index/row-index.ts'
import { hashRow } from '../../../core/learn/datasets/rows/stored-row.ts'
import { NearGroups } from '../../../core/learn/datasets/split/near-groups.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { growDataset } from './grow-dataset.ts'

describe('a damaged Parquet file', () => {
  it('is refused once, also when a column that was begun fails after another could not be begun', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-parquet-'))
    const data = Array.from({ length: 40 }, (_, at) => `a text of its own ${at}`)
    const columnData = ['prompt', 'completion'].map((name) => ({ name, data, type: 'STRING' as const }))
    const bytes = Buffer.from(parquetWriteBuffer({ columnData }))
    // The page of the first column, and the path of the second one.
    bytes.fill(0xff, 40, 60)
    bytes.write('complexion', bytes.lastIndexOf('completion'))
    const path = join(folder, 'rows.parquet')
    await writeFile(path, bytes)
    const failures: unknown[] = []
    const listener = (error: unknown) => failures.push(error)
    process.prependListener('unhandledRejection', listener)
    try {
      const rows = parquetRows('rows.parquet', path, { rowBytes: 10_000, jsonDepth: 10, inflatedBytes: 1_000_000 })
      const error: unknown = await rows.next().catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(DomainError).and.to.have.property('code', 'unsupported_media_type')
      await readFile(path)
      expect(failures).to.deep.equal([])
    } finally {
      process.removeListener('unhandledRejection', listener)
      await rm(folder, { recursive: true })
    }
  })
})

describe('rows of datasets', () => {
  const read = (value: JsonObject) => readContent(value, 'line[1]')

  it('are read by their columns, whatever tool wrote them', () => {
    expect(read({ text: 'a' })).to.deep.equal({ type: 'text', form: 'plain', row: { text: 'a' } })
    expect(read({ text: 'a', label: 'x' }).row).to.deep.equal({ prompt: 'a', completion: 'x' })
    expect(read({ input: { a: 1 }, output: [2] })).to.deep.equal({
      type: 'prompt_completion',
      form: 'json',
      row: { prompt: { a: 1 }, completion: [2] },
    })
    expect(read({ instruction: 'Add', input: '1 2', output: '3' }).row).to.deep.equal({
      prompt: 'Add\n\n1 2',
      completion: '3',
    })
    const chat = [
      { from: 'system', value: 's' },
      { from: 'human', value: 'q' },
      { from: 'gpt', value: 'a' },
    ]
    expect(read({ conversations: chat }).row).to.deep.equal({
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'q' },
        { role: 'assistant', content: 'a' },
      ],
    })
    expect(read({ prompt: 'p', completion: 'c', label: 'True' })).to.deep.include({ type: 'unpaired' })
    expect(read({ prompt: 'p', chosen: 'c', rejected: 'r', score: null })).to.deep.include({ type: 'preference' })
    expect(read({ city: 'Bern', size: '3', output: 'x' }).row).to.deep.equal({
      prompt: { city: 'Bern', size: '3' },
      completion: 'x',
    })
  })

  it('name the column that is wrong', () => {
    const wrong: [JsonObject, string][] = [
      [{ chosen: 'a' }, 'line[1].rejected'],
      [{ messages: [{ content: 'x' }] }, 'line[1].messages[0].role'],
      [{ conversations: [{ from: 'alien', value: 'x' }] }, 'line[1].conversations[0].from'],
      [{ prompt: 'p', completion: 'c', label: 'maybe' }, 'line[1].label'],
      [{ prompt: 'p' }, 'line[1]'],
    ]
    for (const [value, field] of wrong) {
      const error = (() => {
        try {
          return read(value)
        } catch (thrown) {
          return thrown
        }
      })()
      if (!(error instanceof DomainError)) throw new Error(`${field}: nothing was thrown`)
      expect(error.details?.fields?.[0]?.field).to.equal(field)
    }
  })
})

describe('groups of near-duplicates', () => {
  it('are those of a compile, in bounded memory', () => {
    const base = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'
    const texts = Array.from({ length: 200 }, (_, at) => {
      if (at % 10 === 0) return `${base} ${at % 3 === 0 ? 'x' : 'y'} tail${at % 20}`
      return at % 7 === 0
        ? 'short text'
        : `row ${at} ${'word '.repeat(at % 9)}of ${at * 31} and ${at * 17} is ${at * 13}`
    })
    const groups = new NearGroups(texts.length)
    const first = new Map<string, number>()
    for (const [row, text] of texts.entries()) {
      const words = foldedWords(text)
      const key = words.join(' ')
      groups.add(words, first.get(key) ?? -1)
      if (!first.has(key)) first.set(key, row)
    }
    expect([...groups.groups()]).to.deep.equal([...groupNearDuplicates(texts)])
  })
})

describe('the split of a growing dataset', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-growth-'))
  after(async () => await rm(folder, { recursive: true }))

  it('moves no held-out row to train, whatever is added, changed or taken out', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const work = join(folder, String(seed))
      await mkdir(work)
      expect(await growDataset(work, { seed, versions: 4 }), `seed ${seed}`).to.deep.equal({ versions: 4, moved: 0 })
    }
  })

  it('refuses files whose rows have several types, and unpacks no more than it may', async () => {
    await writeFile(join(folder, 'mixed.jsonl'), '{"text":"a"}\n\n{"prompt":"a","completion":"b"}\n')
    const { buildFrom } = await import('./grow-dataset.ts')
    const error = await buildFrom(folder, 'mixed.jsonl').then(String, String)
    expect(error).to.contain('line[3]: is a row of type prompt_completion')
  })

  it('are built where the operator allows more rows than can be grouped', async () => {
    await writeFile(join(folder, 'few.jsonl'), '{"text":"a"}\n')
    const { buildFrom } = await import('./grow-dataset.ts')
    expect((await buildFrom(folder, 'few.jsonl', 2 ** 22)).rows).to.equal(1)
  })
})

describe('the comparison of two versions', () => {
  const indexOf = (rows: readonly { readonly name: string; readonly isHeld: boolean }[]): Buffer => {
    const index = Buffer.alloc(rows.length * RECORD_BYTES)
    for (const [place, { name, isHeld }] of rows.entries()) {
      const hash = hashRow(name)
      const facts = { offset: 0, length: 0, group: place, isForgotten: false, isGivenHeld: false }
      writeRecord(index, place, { ...facts, hash, key: hash.subarray(0, KEY_BYTES), isHeld })
    }
    return index
  }

  it('is the same here and in a thread, which takes large ones', async () => {
    const before = Array.from({ length: 9000 }, (_, at) => ({ name: `row ${at}`, isHeld: at % 5 === 0 }))
    const after = before.slice(100).map((row, at) => (at === 1 ? { ...row, isHeld: true } : row))
    const [one, two] = [indexOf(before), indexOf([...after, { name: 'new', isHeld: false }])]
    const diff = await runDiff(one, two, 3)
    expect(diff).to.deep.include({ kept: 8900, counts: { added: 1, removed: 100, to_holdout: 1, to_train: 0 } })
    expect(diff.changed).to.have.length(3)
    expect(diff).to.deep.equal(diffIndexes(one, two, 3))
  })
})

describe('wrong labels', () => {
  const topics = ['invoice payment amount bill', 'parcel street delivery courier', 'password login code account']
  const rows = Array.from({ length: 240 }, (_, at) => {
    const topic = at % 3
    const words = (topics[topic] ?? '').split(' ')
    const text = `please look at the ${words[at % 4]} and the ${words[(at * 7 + 1) % 4]} of case ${at}`
    return { id: `row_${at}`, text, label: at % 10 === 0 ? (topic + 1) % 3 : topic, group: at }
  })

  it('are found by confident learning', () => {
    const noise = findLabelNoise(rows, ['billing', 'shipping', 'login'])
    const wrong = new Set(rows.filter((_, at) => at % 10 === 0).map(({ id }) => id))
    const found = new Set(noise?.suspects.map(({ row_id: id }) => id))
    const hits = [...found].filter((id) => wrong.has(id)).length
    const f1 = (2 * hits) / (found.size + wrong.size)
    expect(f1).to.be.greaterThan(0.8)
    expect(noise?.rate).to.be.within(0.05, 0.2)
    expect(findLabelNoise(rows.slice(0, 6), ['billing', 'shipping', 'login'])).to.equal(null)
  })
})

describe('contamination', () => {
  it('is a run of 13 words that a row shares with a held-out one', () => {
    const runs = new HeldRuns()
    const words = Array.from({ length: 13 }, (_, at) => `w${at}`).join(' ')
    runs.hold(`before ${words} after`)
    runs.compare('row_1', `Other: ${words.toUpperCase()}!`)
    runs.compare('row_2', words.replace('w12', 'other'))
    expect(runs.report()).to.deep.include({ train_rows: 2, held_rows: 1, contaminated: 1, row_ids: ['row_1'] })
  })
})
