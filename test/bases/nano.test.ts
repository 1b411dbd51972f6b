import { readFileSync, statSync } from 'node:fs'
import { expect } from 'chai'
import { encodePrompt } from '../../bases/training/encode.ts'
import { ask, exactShare } from '../../bases/training/evaluation/ask.ts'
import { questionsOf } from '../../bases/training/evaluation/questions.ts'
import { BASE_CONFIG, GENERATION_CONFIG, SETTINGS } from '../../bases/training/settings.ts'
import { TRAINED_FAMILIES } from '../../bases/training/tasks/families.ts'
import { tokenizerConfig } from '../../bases/training/tokenizer/tokenizer-files.ts'
import { openBaseModel, type OpenedBase } from '../../core/model/files/base-model.ts'
import type { Generator } from '../../core/model/generation/generator.ts'
import { openOfflineGenerator } from '../../core/model/generation/offline-generator.ts'

const DIRECTORY = 'bases/nano'
const read = (file: string): unknown => JSON.parse(readFileSync(`${DIRECTORY}/${file}`, 'utf8'))

describe('bases/nano', () => {
  let base: OpenedBase
  let generator: Generator

  before(async () => {
    base = await openBaseModel(DIRECTORY)
    generator = openOfflineGenerator(base.model, base.tokenizer, { threads: 1 })
  })

  after(async () => await generator.close())

  it('has the files that its training script writes', () => {
    expect(read('config.json')).to.deep.equal(BASE_CONFIG)
    expect(read('generation_config.json')).to.deep.equal(GENERATION_CONFIG)
    expect(read('tokenizer_config.json')).to.deep.equal(tokenizerConfig(BASE_CONFIG.max_position_embeddings))
    const { settings, history } = read('training.json') as { settings: unknown; history: { step: number }[] }
    expect(settings).to.deep.equal(SETTINGS)
    expect(history.at(-1)?.step).to.equal(SETTINGS.steps)
    expect(readFileSync(`${DIRECTORY}/loss.svg`, 'utf8')).to.match(/^<svg /)
  })

  it('holds between 3 and 8 million parameters in less than 20 MB', () => {
    const count = [...base.model.weights.values()].reduce((sum, { data }) => sum + data.length, 0)
    expect(count).to.be.within(3_000_000, 8_000_000)
    expect(statSync(`${DIRECTORY}/model.safetensors`).size).to.be.below(20_000_000)
    expect(base.tokenizer.vocabSize).to.equal(base.model.config.vocabSize)
  })

  it('writes its chat template as it was trained', () => {
    const turns = [
      { role: 'user', content: 'red' },
      { role: 'assistant', content: 'RED' },
      { role: 'user', content: 'blue' },
    ]
    const text = base.chatTemplate?.render(turns, { addGenerationPrompt: true }) ?? ''
    expect(base.tokenizer.encode(text)).to.deep.equal(
      encodePrompt(base.tokenizer, [{ input: 'red', output: 'RED' }], 'blue'),
    )
  })

  for (const [name, least] of [
    ['phone formats', 0.7],
    ['full titles', 0.7],
    ['sentiment', 0.6],
  ] as const) {
    it(`answers inputs of "${name}" that it never saw`, async () => {
      const family = TRAINED_FAMILIES.find((each) => each.name === name)
      if (family === undefined) throw new Error(`no family ${name}`)
      const questions = questionsOf(family, 'instruction', 10, SETTINGS.seed)
      expect(exactShare(questions, await ask(generator, base.tokenizer, questions))).to.be.at.least(least)
    })
  }

  it('gives the log-probabilities that it gave when it was made', async () => {
    const ids = encodePrompt(base.tokenizer, [], 'Write the number in digits\nforty-two')
    const answer = base.tokenizer.encode('42<|end|>')
    const logProbs = await generator.logProbs({ ids: [...ids, ...answer] })
    const golden: readonly number[] = [-0.0388, -0.013324, -0.000026]
    logProbs.slice(ids.length).forEach((value, i) => expect(value).to.be.closeTo(golden[i] ?? 0, 1e-3))
  })
})
