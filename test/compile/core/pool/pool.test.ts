import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { createComputePool, type ComputePool } from '../../../../core/compile/pool/pool.ts'
import { createCores } from '../../../../core/kernel/threads/cores.ts'
import type { StageProgress } from '../../../../core/compile/stages/stage-types.ts'
import type { Row } from '../../../../core/compile/task.ts'
import { deskRows, factsOf, nameRows } from '../rows/given-rows.ts'

function sampleInput(rows: readonly Row[], workBudget: number) {
  return { task: 'x', rows, negatives: [], facts: factsOf(rows), k: 2, budgetMs: 60_000, workBudget }
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
    return null
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  return await work.then(() => 'no error', String)
}

describe('compute pool', () => {
  let pool: ComputePool
  before(() => {
    pool = createComputePool({ threads: 1, memoryMb: 256, cores: createCores(1).short })
  })
  after(async () => await pool.close())

  it('runs stages in a thread and reports progress', async () => {
    const rows = nameRows()
    const seen: StageProgress[] = []
    const sample = await pool.sample(sampleInput(rows, 100_000), { onProgress: (progress) => seen.push(progress) })
    const output = await pool.verify({ ...sampleInput(rows, 0), sample, floor: 0.5 })
    expect(output.chosen?.kind).to.equal('program')
    expect(seen.at(0)).to.deep.include({ stage: 'k-sample', step: 'split', done: 0 })
    expect(seen.at(-1)).to.deep.include({ step: 'done', done: 100, total: 100 })
  })

  it('hands a classifier and its weights across the thread', async () => {
    const sample = await pool.sample(sampleInput(deskRows(), 10_000))
    const data = sample.kinds.find(({ kind }) => kind === 'classifier')?.recipes[0]?.data
    expect(data?.kind === 'classifier' && data.weights.length).to.be.greaterThan(1000)
  })

  it('keeps the code of an error', async () => {
    expect(await codeOf(pool.sample(sampleInput([], 1)))).to.equal('no_examples')
  })

  it('ends the thread when a call is aborted, and goes on with a new one', async () => {
    const abort = new AbortController()
    const rows = Array.from({ length: 20_000 }, (_, i) => ({
      id: `r${i}`,
      input: `text ${i} ${i % 7} and more of it`,
      output: `label ${i % 7}`,
    }))
    const call = pool.sample(sampleInput(rows, 50_000_000), { signal: abort.signal, onProgress: () => abort.abort() })
    expect(await codeOf(call)).to.equal('compile_cancelled')
    expect((await pool.sample(sampleInput(nameRows(), 50_000))).kinds).to.have.length(1)
    expect(await codeOf(pool.sample(sampleInput(nameRows(), 1), { signal: abort.signal }))).to.equal(
      'compile_cancelled',
    )
  })

  it('fails only the call when a thread cannot load its code, and takes the next one when it can', async () => {
    const project = new URL('../../../../', import.meta.url)
    const copy = await mkdtemp(join(tmpdir(), 'svc-pool-test-'))
    try {
      await cp(new URL('core', project), join(copy, 'core'), { recursive: true })
      await cp(new URL('package.json', project), join(copy, 'package.json'))
      await symlink(new URL('node_modules', project), join(copy, 'node_modules'))
      const stage = join(copy, 'core/compile/stages/sample/sample.ts')
      const code = await readFile(stage, 'utf8')
      await writeFile(stage, 'throw new Error("half of an update")')
      const other: { createComputePool: typeof createComputePool } = await import(
        pathToFileURL(join(copy, 'core/compile/pool/pool.ts')).href
      )
      const broken = other.createComputePool({ threads: 1, memoryMb: 256, cores: createCores(1).short })
      try {
        const call = async () => await broken.sample(sampleInput(nameRows(), 50_000))
        expect(await messageOf(call())).to.include('sample.ts')
        await writeFile(stage, code)
        expect((await call()).kinds).to.have.length(1)
      } finally {
        await broken.close()
      }
    } finally {
      await rm(copy, { recursive: true, force: true })
    }
  })

  it('survives a thread that runs out of memory', async () => {
    const small = createComputePool({ threads: 1, memoryMb: 24, cores: createCores(1).short })
    try {
      const rows = Array.from({ length: 30_000 }, (_, i) => ({
        id: `r${i}`,
        input: `${i} ${'word '.repeat(60)}${i}`,
        output: `label ${i % 9}`,
      }))
      expect(await codeOf(small.sample(sampleInput(rows, 1_000_000)))).to.equal('compile_failed')
    } finally {
      await small.close()
    }
  })
})
