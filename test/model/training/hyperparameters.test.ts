import { expect } from 'chai'
import { DomainError } from '../../../core/kernel/errors.ts'
import { defaultHyperparameters, parseHyperparameters } from '../../../core/model/training/hyperparameters.ts'

const facts = (rows: number, tokens: number, hiddenSize = 256) => ({ rows, tokens, contextLength: 512, hiddenSize })

describe('hyper-parameters', () => {
  it('pass more often over fewer rows', () => {
    const [few, more, many] = [facts(40, 1000), facts(300, 13_000), facts(20_000, 800_000)].map((each) =>
      defaultHyperparameters(each),
    )
    expect(few?.epochs).to.be.above(more?.epochs ?? 0)
    expect(more?.epochs).to.be.above(many?.epochs ?? 0)
    expect(many?.epochs).to.equal(3)
    expect(few?.batchTokens).to.be.below(many?.batchTokens ?? 0)
  })

  it('keep some rows in every batch, however long they are', () => {
    expect(defaultHyperparameters(facts(20, 8000)).batchTokens).to.be.at.least(1600)
  })

  it('learn slower from preferences and on larger bases', () => {
    const rate = (hiddenSize: number, objective: 'supervised' | 'dpo') =>
      defaultHyperparameters(facts(300, 13_000, hiddenSize), objective).learningRate
    expect(rate(576, 'supervised')).to.equal(2e-4)
    expect(rate(256, 'supervised')).to.be.above(rate(576, 'supervised'))
    expect(rate(256, 'dpo')).to.be.below(rate(256, 'supervised'))
  })

  it('are never longer than the context', () => {
    expect(defaultHyperparameters(facts(10, 100)).maxLength).to.equal(512)
  })

  it('take an objective with its own settings, and what is asked for', () => {
    const settings = defaultHyperparameters(facts(10, 100), 'simpo', { seed: 9, rank: 4 })
    expect(settings).to.deep.include({ objective: { kind: 'simpo', beta: 2, gammaBetaRatio: 0.5 }, seed: 9, rank: 4 })
    expect(parseHyperparameters(JSON.parse(JSON.stringify(settings)))).to.deep.equal(settings)
  })

  it('are refused with all their problems', () => {
    const wrong = { ...defaultHyperparameters(facts(10, 100)), rank: 0, epochs: 1.5, objective: { kind: 'ppo' } }
    try {
      parseHyperparameters(wrong)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      expect(error.code).to.equal('validation_failed')
      expect(error.details?.fields?.map(({ field }) => field)).to.have.members(['rank', 'epochs', 'objective.kind'])
      return
    }
    throw new Error('was not refused')
  })
})
