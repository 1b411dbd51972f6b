import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { decodeFitDocument } from '../../../../../core/compile/stages/lora/fit/fit-document.ts'
import {
  prepareFit,
  type PrepareFitInput,
  type PreparedFit,
} from '../../../../../core/compile/stages/lora/prepare-fit.ts'
import { apart } from '../../rows/given-rows.ts'
import { DomainError } from '../../../../../core/kernel/errors.ts'
import type { FitRow } from '../../../../../core/model/training/rows.ts'

const BASE = fileURLToPath(new URL('../../../../model/golden/llama-tied', import.meta.url))

function rowsOf(count: number) {
  const words = ['hat', 'cup', 'desk', 'pen', 'lamp', 'rug', 'tin']
  return Array.from({ length: count }, (_, i) => ({
    id: `row_${i + 1}`,
    input: `${words[i % 7] ?? ''} ${words[(i >> 1) % 7] ?? ''} ${i}`,
    output: `${words[(i * 3) % 7] ?? ''} ${i}`,
  }))
}

function inputOf(count: number, changes: Partial<PrepareFitInput> = {}): PrepareFitInput {
  const rows = changes.rows ?? rowsOf(count)
  return {
    task: 'Name the thing',
    rows,
    negatives: [],
    split: apart(rows),
    teacherRows: [],
    base: { name: 'llama-tied', directory: BASE, weightsHash: `sha256:${'a'.repeat(64)}` },
    options: {},
    memoryBudgetBytes: 2 ** 30,
    ...changes,
  }
}

const documentOf = ({ fits }: PreparedFit) => decodeFitDocument(fits[0]?.document ?? new Uint8Array())
const idsOf = (rows: readonly FitRow[]): string[] => rows.map(({ id }) => id)

async function codeOf(input: PrepareFitInput): Promise<string> {
  const error = await prepareFit(input).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof DomainError ? error.code : 'none'
}

describe('preparing a fit', () => {
  it('trains on the train side alone, and sets its inner validation rows aside from it', async () => {
    const input = inputOf(60)
    const prepared = await prepareFit(input)
    expect(prepared.fits).to.have.length(1)
    const { rows, validation } = documentOf(prepared)
    const held = input.split.holdout.map((place) => input.rows[place]?.id)
    expect(prepared.fits[0]?.heldIds).to.have.members(held)
    expect([...idsOf(rows), ...idsOf(validation)].filter((id) => held.includes(id))).to.deep.equal([])
    expect(rows.length + validation.length).to.equal(input.split.train.length)
    expect(prepared.fits[0]?.validationIds).to.deep.equal(idsOf(validation))
    expect(validation.length).to.be.greaterThan(0)
    expect(prepared.recipe).to.deep.include({ output: 'text', constraint: null, abstain_below: null })
    expect((await prepareFit(input)).fits[0]?.document).to.deep.equal(prepared.fits[0]?.document)
  })

  it('refuses an adapter that fits into no archive', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-wide-base-'))
    await cp(BASE, directory, { recursive: true })
    const config = JSON.parse(await readFile(join(directory, 'config.json'), 'utf8'))
    await writeFile(
      join(directory, 'config.json'),
      JSON.stringify({ ...config, intermediate_size: 2 ** 16, num_hidden_layers: 128 }),
    )
    const input = inputOf(60, { memoryBudgetBytes: null, options: { rank: 8 } })
    expect(await codeOf({ ...input, base: { ...input.base, directory } })).to.equal('base_does_not_fit')
    await rm(directory, { recursive: true })
  })

  it('counts the answers of a teacher by their share, and drops those on held-out inputs', async () => {
    const input = inputOf(60)
    const heldInput = input.rows[input.split.holdout[0] ?? 0]?.input ?? ''
    const teacherRows = [
      { id: 't1', input: 'red hat', output: 'hat 3', share: 0.6 },
      { id: 't2', input: heldInput, output: 'cup 4', share: 1 },
    ]
    const { rows, validation } = documentOf(await prepareFit({ ...input, teacherRows }))
    const taught = [...rows, ...validation].filter(({ id }) => id.startsWith('t'))
    expect(taught.map(({ id, weight }) => [id, weight])).to.deep.equal([['t1', 0.6]])
  })

  it('makes one fit that two rows at least stay out of, also of few rows', async () => {
    const { fits } = await prepareFit(inputOf(7))
    expect(fits).to.have.length(1)
    expect(fits[0]?.heldIds).to.have.length(2)
  })

  it('cuts inputs that are too long from their left, and names them', async () => {
    const rows = rowsOf(30).map((row, i) => (i % 9 === 0 ? { ...row, input: `${'odd '.repeat(60)}${row.input}` } : row))
    const input = inputOf(30, { rows })
    const { truncated, fits } = await prepareFit(input)
    const trained = new Set(input.split.train.map((place) => rows[place]?.id))
    const long = rows.filter(({ id, input: text }) => trained.has(id) && text.startsWith('odd odd')).map(({ id }) => id)
    expect(truncated.map(({ id }) => id)).to.have.members(long)
    expect(truncated.every(({ droppedTokens }) => droppedTokens > 0)).to.equal(true)
    const { rows: encoded } = decodeFitDocument(fits[0]?.document ?? new Uint8Array())
    for (const row of encoded) if ('answer' in row) expect(row.prompt.length + row.answer.length).to.be.at.most(64)
  })

  it('makes pairs of examples and negatives with their input, and marks unwanted answers for kto', async () => {
    const input = inputOf(60)
    const negatives = input.rows.map(({ id, input: text }) => ({ id: `n_${id}`, input: text, notOutput: 'pen 0' }))
    const pairs = documentOf(await prepareFit({ ...input, negatives, options: { objective: 'orpo' } }))
    expect([...pairs.rows, ...pairs.validation]).to.have.length(input.split.train.length)
    expect(pairs.rows.every((row) => 'rejected' in row)).to.equal(true)
    expect(pairs.hyperparameters.objective).to.deep.equal({ kind: 'orpo', lambda: 0.1 })
    const kto = documentOf(await prepareFit({ ...input, negatives, options: { objective: 'kto' } }))
    const unwanted = [...kto.rows, ...kto.validation].filter((row) => 'isDesirable' in row && !row.isDesirable)
    expect(unwanted).to.have.length(input.split.train.length)
    expect(await codeOf({ ...input, negatives: negatives.slice(0, 3), options: { objective: 'dpo' } })).to.equal(
      'too_few_preferences',
    )
  })

  it('pairs a negative with its own chosen answer, which is learned from too where no example has it', async () => {
    const input = inputOf(60)
    const [first] = input.split.train.flatMap((place) => input.rows[place] ?? [])
    if (first === undefined) throw new Error('there are no train rows')
    const negatives = Array.from({ length: 8 }, (_, at) => ({
      id: `n_${at}`,
      input: first.input,
      notOutput: 'pen 0',
      chosen: at === 0 ? first.output : `cup ${at}`,
      weight: 2,
    }))
    const pairs = documentOf(await prepareFit({ ...input, negatives, options: { objective: 'dpo' } }))
    const made = [...pairs.rows, ...pairs.validation]
    expect(idsOf(made).toSorted()).to.deep.equal(negatives.map(({ id }) => id))
    expect(made.every(({ weight }) => weight === 2)).to.equal(true)
    const kto = documentOf(await prepareFit({ ...input, negatives, options: { objective: 'kto' } }))
    const ids = idsOf([...kto.rows, ...kto.validation])
    expect(ids.filter((id) => id.endsWith('/chosen'))).to.have.length(7)
    expect(ids).not.to.include('n_0/chosen')
  })

  it('refuses what cannot be trained', async () => {
    expect(await codeOf(inputOf(40, { memoryBudgetBytes: 1000 }))).to.equal('base_does_not_fit')
    const untaught = { ...apart(rowsOf(40)), train: [] }
    expect(await codeOf(inputOf(40, { split: untaught }))).to.equal('no_training_rows')
    const mixed = rowsOf(40).map((row, i) => (i % 2 === 0 ? { ...row, output: { a: 1 } } : row))
    expect(await codeOf(inputOf(40, { rows: mixed }))).to.equal('validation_failed')
    const endless = rowsOf(40).map((row, i) => (i < 20 ? { ...row, output: `${i} ${'odd '.repeat(80)}` } : row))
    expect(await codeOf(inputOf(40, { rows: endless }))).to.equal('example_too_large')
  })
})
