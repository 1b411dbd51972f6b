import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { buildContent } from '../../../../core/compile/archive/members/content.ts'
import type { LoraRecipe } from '../../../../core/compile/stages/lora/lora-recipe.ts'
import { openBases, type BaseProvider, type BasesOptions } from '../../../../core/compile/runtime/bases.ts'
import { openRecipe } from '../../../../core/compile/runtime/open-recipe.ts'
import { startRecipe, type RecipeRunner } from '../../../../core/compile/runtime/start-recipe.ts'
import { DomainError, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { OpenedBase } from '../../../../core/model/files/base-model.ts'
import { contentInput } from '../../../support/archives/archives.ts'
import { expectCode } from '../../../support/wire/expect-code.ts'
import { tinyRecipe, writeTinyBase } from '../../../support/archives/tiny-bases.ts'

const GIB = 2 ** 30

describe('startRecipe', () => {
  let folder: string
  let base: OpenedBase
  const opened: BaseProvider[] = []

  const basesWith = (options: Partial<BasesOptions> = {}): BaseProvider => {
    const bases = openBases({ folders: [folder], memoryBytes: 4 * GIB, idleCloseMs: 60_000, ...options })
    opened.push(bases)
    return bases
  }
  const adapter = (bases: BaseProvider, seed: number, changes: Partial<LoraRecipe> = {}): RecipeRunner => {
    const { recipe, members } = buildContent(contentInput({ recipe: tinyRecipe(base, seed, changes) }))
    return startRecipe(openRecipe(recipe, members), bases)
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-runtime-'))
    base = await writeTinyBase(folder, 'tiny')
  })
  after(async () => {
    for (const bases of opened) await bases.close()
    await rm(folder, { recursive: true })
  })

  it('answers a program at once, without a base', async () => {
    const { recipe, members } = buildContent(contentInput())
    const answer = await startRecipe(openRecipe(recipe, members), basesWith({ folders: [] })).run('straße')
    expect(answer).to.deep.equal({ result: { output: 'STRASSE', abstained: false, confidence: 1 }, usage: null })
  })

  it('answers with adapters of one base at the same time as with each alone, and says what it took', async () => {
    const bases = basesWith()
    const runners = [1, 2, 3].map((seed) => adapter(bases, seed))
    const calls = Array.from({ length: 18 }, (_, place) => ({
      runner: runners[place % 3],
      input: `${'a longer question '.repeat(place % 5)}${place}`,
    }))
    const together = await Promise.all(calls.map(async ({ runner, input }) => await runner?.run(input)))
    for (const [place, { runner, input }] of calls.entries()) {
      const alone = await runner?.run(input)
      expect(together[place]?.result.output).to.equal(alone?.result.output)
      expect(alone?.result.output).to.match(/^[a-z]{5,9}$/)
      expect(alone?.usage?.promptTokens).to.be.greaterThan(2)
      expect(alone?.usage?.newTokens).to.be.greaterThan(0)
      expect(alone?.usage).to.include({ droppedTokens: 0 })
    }
    expect(new Set(together.map((answer) => answer?.result.output)).size).to.be.greaterThan(6)
    const stats = (await bases.stats()).get('tiny')
    expect(stats).to.include({ adaptersKept: 3, active: 0 })
  })

  it('cuts an input that is longer than the context from its left, and says so', async () => {
    const { usage } = await adapter(basesWith(), 1).run('word '.repeat(400))
    expect(usage?.promptTokens).to.equal(256 - 12)
    expect(usage?.droppedTokens).to.be.greaterThan(100)
  })

  it('goes on when its base was closed meanwhile', async () => {
    const bases = basesWith({ idleCloseMs: 1 })
    const runner = adapter(bases, 2)
    const first = await runner.run('a question')
    while ((await bases.stats()).size > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await runner.run('a question')).result).to.deep.equal(first.result)
  })

  it('refuses a base with other weights, and one that is not there', async () => {
    const bases = basesWith()
    const other = { ...tinyRecipe(base, 1).recipe.base, weights_hash: `sha256:${'0'.repeat(64)}` as const }
    const refused = await adapter(bases, 1, { base: other })
      .ready()
      .catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(DomainError).and.to.include({ code: 'base_mismatch' })
    expect(refused).to.have.property('details').that.includes({ found: base.model.weightsHash })
    const absent = { ...other, name: 'absent' }
    await expectCode('base_not_installed', async () => await adapter(bases, 1, { base: absent }).run('x'))
    const elsewhere = { ...other, name: '../tiny' }
    await expectCode('base_not_installed', async () => await adapter(bases, 1, { base: elsewhere }).run('x'))
  })

  it('refuses a base that does not fit into the memory, with the numbers', async () => {
    const refused = await adapter(basesWith({ memoryBytes: 50_000_000 }), 1)
      .run('x')
      .catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(DomainError).and.to.include({ code: 'base_does_not_fit' })
    expect(refused).to.have.property('details').that.includes({ base: 'tiny', budget_bytes: 50_000_000 })
    expect(refused).to.have.nested.property('details.needed_bytes').that.is.greaterThan(50_000_000)
  })

  it('closes an idle base for another one, but not one that is in use', async () => {
    const second = await writeTinyBase(folder, 'second', 2)
    const bases = basesWith({ memoryBytes: 180 * 2 ** 20 })
    const { recipe, members } = buildContent(contentInput({ recipe: tinyRecipe(second, 1) }))
    const onSecond = startRecipe(openRecipe(recipe, members), bases)
    await adapter(bases, 1).run('x')
    await onSecond.run('x')
    expect([...(await bases.stats()).keys()]).to.deep.equal(['second'])
    await bases.use(recipe.kind === 'lora' ? recipe.lora.base : tinyRecipe(second, 1).recipe.base, async () => {
      await expectCode('model_busy', async () => await adapter(bases, 1).run('x'))
    })
  })

  it('gives up a call whose signal is aborted, and answers the next one with the same adapter', async () => {
    const runner = adapter(basesWith(), 3)
    await runner.ready()
    const controller = new AbortController()
    const given = runner.run('x', { signal: controller.signal }).catch((error: unknown) => error)
    controller.abort(KERNEL_ERRORS.request_timeout('gone'))
    expect(await given).to.have.property('code', 'request_timeout')
    expect((await runner.run('x')).result.abstained).to.equal(false)
  })

  it('refuses adapter files that are none', () => {
    const source = tinyRecipe(base, 1)
    const broken = { ...source, adapter: { ...source.adapter, weights: new Uint8Array(40) } }
    const { recipe, members } = buildContent(contentInput({ recipe: broken }))
    expect(() => openRecipe(recipe, members))
      .to.throw(DomainError)
      .with.property('code', 'invalid_adapter')
  })
})
