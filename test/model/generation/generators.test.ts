import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import type { OpenedBase } from '../../../core/model/files/base-model.ts'
import { openGenerators } from '../../../core/model/generation/generators.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { byteTokenizer, tinyBase } from './tiny-base.ts'

const tokenizer = byteTokenizer()
const opened = (name: string): OpenedBase => ({
  model: { name, weightsHash: `sha256:${'0'.repeat(64)}`, ...tinyBase() },
  tokenizer,
  chatTemplate: null,
})
const request = { promptIds: tokenizer.encode('x'), options: { maxNewTokens: 3 } }

describe('openGenerators', () => {
  it('opens a base once for all tasks, closes it when it has been idle, and opens it again', async () => {
    let count = 0
    const generators = openGenerators({
      open: async (name) => {
        count++
        await pause(5)
        return opened(name)
      },
      idleCloseMs: 20,
    })
    const ask = async () => await generators.use('tiny', async ({ generator }) => await generator.generate(request))
    await Promise.all([ask(), ask(), ask()])
    expect(count).to.equal(1)
    expect((await generators.stats()).get('tiny')).to.include({ newTokens: 9 })
    while ((await generators.stats()).size > 0) await pause(5)
    await ask()
    expect(count).to.equal(2)
    await generators.close()
    await expectCode('model_busy', ask)
  })

  it('tries again to open a base that could not be opened', async () => {
    let isThere = false
    const generators = openGenerators({
      open: async (name) => {
        if (!isThere) throw MODEL_ERRORS.unknown_base_model('not there yet')
        return await Promise.resolve(opened(name))
      },
      idleCloseMs: 1000,
    })
    const ask = async () => await generators.use('tiny', async ({ generator }) => await generator.generate(request))
    await expectCode('unknown_base_model', ask)
    isThere = true
    expect((await ask()).newTokens).to.be.greaterThan(0)
    await generators.close()
  })
})
