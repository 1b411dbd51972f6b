import { expect } from 'chai'
import { decideFit } from '../../../../../core/compile/stages/lora/decide-fit.ts'
import {
  CompileChoices,
  hyperparameterOverrides,
  LoraOptions,
  readChoices,
} from '../../../../../core/compile/stages/lora/lora-options.ts'

describe('whether an adapter is fitted', () => {
  const question = {
    choices: { recipe_kind: 'auto' },
    baseModel: 'nano',
    passed: false,
    estimatesNumbers: false,
    distinctRows: 20,
  } as const

  it('is fitted when nothing cheaper passes, a base is wanted and there are rows', () => {
    expect(decideFit(question)).to.equal(null)
    expect(decideFit({ ...question, passed: true })).to.equal('cheaper_recipe_passes')
    expect(decideFit({ ...question, baseModel: 'none' })).to.equal('no_base_model')
    expect(decideFit({ ...question, distinctRows: 19 })).to.equal('too_few_rows')
  })

  it('is not fitted where a tabular model answers with a number, unless it is asked for', () => {
    const number = { ...question, estimatesNumbers: true }
    expect(decideFit(number)).to.equal('numbers_are_estimated')
    expect(decideFit({ ...number, choices: { recipe_kind: 'lora' } })).to.equal(null)
  })

  it('is fitted whenever it is asked for, and never when another kind is', () => {
    const asked = { ...question, passed: true, distinctRows: 3 }
    expect(decideFit({ ...asked, choices: { recipe_kind: 'lora' } })).to.equal(null)
    for (const kind of ['program', 'classifier'] as const) {
      expect(decideFit({ ...question, choices: { recipe_kind: kind } })).to.equal('kind_not_asked_for')
    }
  })
})

describe('choices of a compile', () => {
  it('have defaults, also for jobs from before there were choices', () => {
    const defaults = { recipe_kind: 'auto', rows: 'held', trainer: 'embedded', lora: {} }
    expect(readChoices({})).to.deep.equal(defaults)
    expect(readChoices({ corpus_namespace: 'x' })).to.deep.equal(defaults)
    expect(CompileChoices.safeParse({ recipe_kind: 'magic' }).success).to.equal(false)
  })

  it('become overrides of the trainer: alpha follows the rank, settings go to their objective', () => {
    const overrides = (options: object) => hyperparameterOverrides(LoraOptions.parse(options))
    expect(overrides({ rank: 8 })).to.deep.equal({ objective: { kind: 'supervised' }, rank: 8, alpha: 16 })
    expect(overrides({ rank: 8, alpha: 8, seed: 3, epochs: 2, learning_rate: 0.001 })).to.deep.include({
      alpha: 8,
      seed: 3,
      epochs: 2,
      learningRate: 0.001,
    })
    expect(overrides({ objective: 'dpo', beta: 0.3 }).objective).to.deep.equal({ kind: 'dpo', beta: 0.3 })
    expect(overrides({ objective: 'simpo', gamma_beta_ratio: 1 }).objective).to.deep.include({ gammaBetaRatio: 1 })
    expect(overrides({ objective: 'orpo', lambda: 0.2 }).objective).to.deep.equal({ kind: 'orpo', lambda: 0.2 })
    expect(overrides({ objective: 'kto', undesirable_weight: 2 }).objective).to.deep.include({
      desirableWeight: 1,
      undesirableWeight: 2,
    })
  })

  it('refuse ranks and rates out of range', () => {
    for (const options of [{ rank: 3 }, { rank: 65 }, { epochs: 0 }, { learning_rate: 0 }, { objective: 'grpo' }]) {
      expect(LoraOptions.safeParse(options).success, JSON.stringify(options)).to.equal(false)
    }
  })
})
