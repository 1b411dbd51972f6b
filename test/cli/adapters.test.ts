import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { buildContent } from '../../core/compile/archive/members/content.ts'
import type { EvalRow } from '../../core/compile/archive/evals.ts'
import { openBases } from '../../core/compile/runtime/bases.ts'
import { openRecipe } from '../../core/compile/runtime/open-recipe.ts'
import { startRecipe } from '../../core/compile/runtime/start-recipe.ts'
import { verifyByRecomputation } from '../../core/compile/archive/recompute/recompute.ts'
import type { OpenedBase } from '../../core/model/files/base-model.ts'
import { contentInput, evalsOf, sealFixture } from '../support/archives/archives.ts'
import { runCli } from '../support/cli/run-cli.ts'
import { TINY_TRAINING, tinyRecipe, writeTinyBase } from '../support/archives/tiny-bases.ts'

const INPUTS = ['first question', 'second question', 'a third one', 'the last']

describe('svc with an adapter and no server', () => {
  let folder: string
  let basesDir: string
  let base: OpenedBase
  let rows: readonly EvalRow[]

  const svc = async (args: readonly string[], stdin = '') =>
    await runCli(args, { folder, profileDir: join(folder, 'no-profile'), stdin })
  const seal = async (evaluated: readonly EvalRow[]) =>
    await sealFixture({
      facts: { training: TINY_TRAINING, kScoreFloor: 0.5 },
      input: { recipe: tinyRecipe(base, 3), evals: evalsOf(evaluated) },
    })
  const withTinyBases = async <T>(task: (bases: ReturnType<typeof openBases>) => Promise<T>): Promise<T> => {
    const bases = openBases({ folders: [basesDir], memoryBytes: 2 ** 32, idleCloseMs: 60_000 })
    try {
      return await task(bases)
    } finally {
      await bases.close()
    }
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-adapters-'))
    basesDir = join(folder, 'bases')
    await mkdir(basesDir)
    base = await writeTinyBase(basesDir, 'tiny')
    const { recipe, members } = buildContent(contentInput({ recipe: tinyRecipe(base, 3) }))
    rows = await withTinyBases(async (bases) => {
      const runner = startRecipe(openRecipe(recipe, members), bases)
      return await Promise.all(
        INPUTS.map(async (input, place) => {
          const { output } = (await runner.run(input)).result
          return { id: `row_${place + 1}`, input, expected: output, output, abstained: false, correct: true }
        }),
      )
    })
    await writeFile(join(folder, 'adapter.svc'), (await seal(rows)).archive)
  })
  after(async () => {
    await rm(folder, { recursive: true })
  })

  it('runs it on one input and on lines', async () => {
    const one = await svc(['--json', 'run', 'adapter.svc', 'first question', '--bases', basesDir])
    expect(one.code, one.stderr).to.equal(0)
    const answer = JSON.parse(one.stdout)
    expect(answer).to.include({ output: rows[0]?.output, abstained: false })
    expect(answer.usage).to.have.all.keys('prompt_tokens', 'dropped_tokens', 'new_tokens', 'tokens_per_second')
    const lines = await svc(['run', 'adapter.svc', '--lines', '--bases', basesDir], `${INPUTS.join('\n')}\n`)
    expect(lines).to.deep.include({
      code: 0,
      stdout: rows.map(({ output }) => `${JSON.stringify(output).slice(1, -1)}\n`).join(''),
    })
  })

  it('says that the base is not installed', async () => {
    const { code, stderr } = await svc(['run', 'adapter.svc', 'x'])
    expect(code).to.equal(1)
    expect(stderr).to.include('base_not_installed').and.include('tiny')
  })

  it('shows its base, its adapter and how it was trained', async () => {
    const { code, stdout } = await svc(['inspect', 'adapter.svc'])
    expect(code).to.equal(0)
    expect(stdout).to.match(/LoRA adapter on tiny \(LlamaForCausalLM, /)
    expect(stdout).to.include(base.model.weightsHash).and.include('rank 4, alpha 8')
    expect(stdout).to.include('3.5000 at step 1, lowest 1.2500 at 2, last 1.5000 at 3')
    expect(stdout).to.include('48 to train, 5 to validate').and.include('1235 tokens/s').and.include('1 min 15 s')
  })

  it('verifies its answers again where the base is installed, and else says that it could not', async () => {
    const [here, elsewhere] = await Promise.all([
      svc(['--json', 'verify', 'adapter.svc', '--recompute', '--bases', basesDir]),
      svc(['--json', 'verify', 'adapter.svc', '--recompute']),
    ])
    const answersOf = (text: string) =>
      JSON.parse(text).checks.find(({ name }: { readonly name: string }) => name === 'recomputed_answers')
    expect(answersOf(here.stdout)).to.include({
      status: 'pass',
      detail: '4 rows give the recorded answer; 4 of them the expected one',
    })
    expect(answersOf(elsewhere.stdout)).to.include({ status: 'warn' })
    expect(answersOf(elsewhere.stdout).detail).to.include('not recomputed').and.include('tiny')
    expect([here.code, elsewhere.code]).to.deep.equal([3, 3])
  })

  it('finds recorded answers that the adapter does not give', async () => {
    const wrong = rows.map((row, place) => (place === 2 ? { ...row, output: 'zzzzz', correct: false } : row))
    const { archive } = await seal(wrong)
    const result = await withTinyBases(async (bases) => await verifyByRecomputation(archive, { bases }))
    expect(result).to.include({ ok: false, reason: 'evals_mismatch' })
    expect(result.detail).to.equal('1 rows give another answer than recorded: row_3')
  })

  it('lets an answer pass that the model finds as likely as its own', async () => {
    // A base that reads and writes two letters alike cannot tell them apart.
    const twin = await writeTinyBase(basesDir, 'twin', 5, ['b', 'c'])
    const recipe = tinyRecipe(twin, 1, { constraint: { type: 'regex', pattern: '[bc]{3}' } })
    const row = { id: 'row_1', input: 'x', expected: 'bcb', output: 'bcb', abstained: false, correct: true }
    const sealed = await sealFixture({ facts: { training: TINY_TRAINING }, input: { recipe, evals: evalsOf([row]) } })
    const result = await withTinyBases(async (bases) => await verifyByRecomputation(sealed.archive, { bases }))
    expect(result.ok, result.detail).to.equal(true)
    const answers = result.checks.find(({ name }) => name === 'recomputed_answers')
    expect(answers?.detail).to.match(/^1 rows give the recorded answer, but for 1 whose answers are equally likely; /)
  })
})
