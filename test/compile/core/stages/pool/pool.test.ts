import { factsOf } from '../../../../../core/compile/rows/intake/example.ts'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { freeHelpers } from '../../../../../bench/harness/free-helpers.ts'
import { sampleInParts } from '../../../../../core/compile/stages/pool/sample-in-parts.ts'
import { createComputePool, type ComputeCall, type ComputePool } from '../../../../../core/compile/stages/pool/pool.ts'
import { createCores } from '../../../../../core/kernel/threads/cores.ts'
import type { SampleInput, StageProgress } from '../../../../../core/compile/stages/stage-types.ts'
import type { Row } from '../../../../../core/compile/rows/task.ts'
import { sampleCandidates } from '../../../../../core/compile/stages/sample/sample.ts'
import { COMPILE_ERRORS } from '../../../../../core/compile/errors.ts'
import { deskRows, hopelessRows, nameRows } from '../../rows/given-rows.ts'

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

/** Runs `k-sample` in the pool's threads, with so many beside the first. */
const sampleIn = async (pool: ComputePool, input: SampleInput, call: ComputeCall = {}, helpers = 0) =>
  await sampleInParts(pool, input, call, freeHelpers(helpers))

describe('compute pool', () => {
  let pool: ComputePool
  before(() => {
    pool = createComputePool({ threads: 1, memoryMb: 256, cores: createCores(1).short })
  })
  after(async () => await pool.close())

  it('runs stages in a thread and reports progress', async () => {
    const rows = nameRows()
    const seen: StageProgress[] = []
    const sample = await sampleIn(pool, sampleInput(rows, 100_000), { onProgress: (progress) => seen.push(progress) })
    const output = await pool.verify({ ...sampleInput(rows, 0), sample, floor: 0.5 })
    expect(output.chosen?.kind).to.equal('program')
    expect(seen.at(0)).to.deep.include({ stage: 'k-sample', step: 'search programs', done: 0 })
    const sampling = seen.filter(({ stage }) => stage === 'k-sample').map(({ done }) => done)
    expect(sampling).to.deep.equal(sampling.toSorted((a, b) => a - b))
    expect(sampling.length).to.be.greaterThan(5)
  })

  it('hands a classifier and its weights across the thread', async () => {
    const sample = await sampleIn(pool, sampleInput(deskRows(), 10_000))
    const data = sample.kinds.find(({ kind }) => kind === 'classifier')?.recipes[0]?.data
    expect(data?.kind === 'classifier' && data.weights.length).to.be.greaterThan(1000)
  })

  it('keeps the code of an error', async () => {
    expect(await codeOf(sampleIn(pool, sampleInput([], 1)))).to.equal('no_examples')
  })

  it('ends the thread when a call is aborted, and goes on with a new one', async () => {
    const abort = new AbortController()
    const rows = Array.from({ length: 20_000 }, (_, i) => ({
      id: `r${i}`,
      input: `text ${i} ${i % 7} and more of it`,
      output: `label ${i % 7}`,
    }))
    const call = sampleIn(pool, sampleInput(rows, 50_000_000), {
      signal: abort.signal,
      onProgress: () => abort.abort(),
    })
    expect(await codeOf(call)).to.equal('compile_cancelled')
    expect((await sampleIn(pool, sampleInput(nameRows(), 50_000))).kinds).to.have.length(1)
    expect(await codeOf(sampleIn(pool, sampleInput(nameRows(), 1), { signal: abort.signal }))).to.equal(
      'compile_cancelled',
    )
  })

  it('fails only the call when a thread cannot load its code, and takes the next one when it can', async () => {
    const project = new URL('../../../../../', import.meta.url)
    const copy = await mkdtemp(join(tmpdir(), 'svc-pool-test-'))
    try {
      await cp(new URL('core', project), join(copy, 'core'), { recursive: true })
      await cp(new URL('package.json', project), join(copy, 'package.json'))
      await symlink(new URL('node_modules', project), join(copy, 'node_modules'))
      const stage = join(copy, 'core/compile/stages/sample/sample.ts')
      const code = await readFile(stage, 'utf8')
      await writeFile(stage, 'throw new Error("half of an update")')
      const other: { createComputePool: typeof createComputePool } = await import(
        pathToFileURL(join(copy, 'core/compile/stages/pool/pool.ts')).href
      )
      const broken = other.createComputePool({ threads: 1, memoryMb: 256, cores: createCores(1).short })
      try {
        const call = async () => await sampleIn(broken, sampleInput(nameRows(), 50_000))
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
      expect(await codeOf(sampleIn(small, sampleInput(rows, 1_000_000)))).to.equal('compile_failed')
    } finally {
      await small.close()
    }
  })

  describe('with several threads', () => {
    let many: ComputePool
    before(() => {
      many = createComputePool({ threads: 3, memoryMb: 256, cores: createCores(3).short })
    })
    after(async () => await many.close())

    it('gives the same sample as one thread', async () => {
      for (const rows of [nameRows(), deskRows(), hopelessRows(12)]) {
        const input = sampleInput(rows, 60_000)
        const { cost: _serial, ...alone } = sampleCandidates(input)
        for (const helpers of [0, 2]) {
          const { cost: _measured, ...together } = await sampleIn(many, input, {}, helpers)
          expect(together).to.deep.equal(alone)
        }
      }
    })

    it('does all parts without help when no further core can be had', async () => {
      const refused = { count: 2, aside: async () => await Promise.reject(new Error('no core')) }
      const { kinds } = await sampleInParts(many, sampleInput(nameRows(), 60_000), {}, refused)
      expect(kinds[0]?.folds).to.have.length(10)
    })

    it('does not repeat the search that found no question, and gives the same result', async () => {
      const searches: string[] = []
      const counted: ComputePool = {
        ...many,
        async samplePart(input, call) {
          searches.push(`${input.part.kind} ${input.part.fold}`)
          return await many.samplePart(input, call)
        },
      }
      const input = sampleInput(nameRows(), 60_000)
      const { question, searched } = await many.findQuestion({ input, asked: [] })
      expect(question).to.equal(null)
      const handedOn = await sampleInParts(counted, input, {}, freeHelpers(1), [searched])
      const repeated = await sampleIn(many, input)
      expect(searches).to.not.include('program null')
      expect(searches).to.include('program 0')
      expect([handedOn.samples, handedOn.kinds]).to.deep.equal([repeated.samples, repeated.kinds])
    })

    it('ends every part with the first failure, and keeps its code', async () => {
      const broken: ComputePool = {
        ...many,
        async samplePart(input, call) {
          if (input.part.fold === 2) throw COMPILE_ERRORS.compile_failed('the part failed')
          return await many.samplePart(input, call)
        },
      }
      expect(await codeOf(sampleIn(broken, sampleInput(nameRows(), 60_000), {}, 2))).to.equal('compile_failed')
      expect((await sampleIn(many, sampleInput(nameRows(), 60_000), {}, 2)).kinds).to.have.length(1)
    })

    it('asks for folds of no kind that has no candidate', async () => {
      const asked: string[] = []
      const watched: ComputePool = {
        ...many,
        async samplePart(input, call) {
          asked.push(`${input.part.kind} ${input.part.fold}`)
          return await many.samplePart(input, call)
        },
      }
      await sampleIn(watched, sampleInput(nameRows(), 60_000), {}, 0)
      expect(asked).to.deep.equal([
        'program null',
        'classifier null',
        'tabular null',
        ...Array.from({ length: 5 }, (_, i) => `program ${i}`),
      ])
    })
  })
})
