import { expect } from 'chai'
import fc from 'fast-check'
import { DomainError } from '../../../core/kernel/errors.ts'
import { distillationRows } from '../../../core/model/training/data/distillation.ts'
import { readTaskRows } from '../../../core/model/training/data/task-rows.ts'
import { splitForValidation } from '../../../core/model/training/data/validation-split.ts'
import type { ObjectiveName } from '../../../core/model/training/objectives/objective.ts'

const jsonl = (...rows: readonly unknown[]): string => rows.map((row) => JSON.stringify(row)).join('\n')

describe('rows of a task', () => {
  it('are read line by line, with the names that are usual', () => {
    const text = jsonl({ input: 'a', output: 1 }, { id: 'x', prompt: ['b'], completion: '', weight: 2 })
    expect(readTaskRows(`${text}\n\n`, 'supervised')).to.deep.equal({
      kind: 'answers',
      rows: [
        { id: 'line[1]', input: 'a', output: 1 },
        { id: 'x', input: ['b'], output: '', weight: 2 },
      ],
    })
  })

  it('of preferences carry their weight, from a margin where there is one', () => {
    const pair = { input: 'a', chosen: 'b', rejected: 'c' }
    const { rows } = readTaskRows(
      jsonl(
        pair,
        { ...pair, weight: 1.5 },
        { ...pair, margin: 0.5 },
        { ...pair, margin: -3 },
        { ...pair, chosen_score: 0.9, rejected_score: 0.2 },
      ),
      'dpo',
    )
    const weights = rows.map((row) => Number((row.weight ?? 0).toFixed(6)))
    expect(weights).to.deep.equal([1, 1.5, 1.5, 0.25, 1.7])
  })

  it('of kto are labelled answers, or pairs taken apart', () => {
    const labelled = { input: 'a', completion: 'b', label: false }
    const { rows } = readTaskRows(jsonl(labelled, { prompt: 'a', chosen: 'b', rejected: 'c' }), 'kto')
    expect(rows).to.deep.equal([
      { id: 'line[1]', input: 'a', output: 'b', isDesirable: false },
      { id: 'line[2]#1', input: 'a', output: 'b', isDesirable: true, weight: 1 },
      { id: 'line[2]#2', input: 'a', output: 'c', isDesirable: false, weight: 1 },
    ])
  })

  it('say what is wrong, with the line', () => {
    const cases: [string, ObjectiveName, string, string][] = [
      ['', 'supervised', 'no_training_rows', 'no rows'],
      ['{"input":1}', 'supervised', 'validation_failed', 'line[1].output'],
      ['{"input":1,"output":2}\n{"input":', 'supervised', 'invalid_json', 'line[2]'],
      ['[1]', 'supervised', 'validation_failed', 'line[1]'],
      ['{"input":1,"output":2}', 'dpo', 'validation_failed', 'line[1].chosen'],
      ['{"input":1,"output":2}', 'kto', 'validation_failed', 'line[1].label'],
      ['{"input":1,"outputs":[]}', 'distillation', 'validation_failed', 'line[1].outputs'],
    ]
    for (const [text, objective, code, message] of cases) {
      expect(() => readTaskRows(text, objective), text)
        .to.throw(DomainError, message)
        .with.property('code', code)
    }
  })
})

describe('distillation rows', () => {
  it('hold each answer of a teacher once, by the share of samples that agree on it', () => {
    const rows = distillationRows([{ id: 'a', input: 1, outputs: ['x', 'y', 'x', 'x'] }])
    expect(rows).to.deep.equal([
      { id: 'a#1', input: 1, output: 'x', weight: 0.75 },
      { id: 'a#2', input: 1, output: 'y', weight: 0.25 },
    ])
    expect(distillationRows([{ id: 'a', input: 1, outputs: ['x', 'y', 'x', 'x'] }], 0.5)).to.deep.equal([
      { id: 'a', input: 1, output: 'x', weight: 1 },
    ])
  })

  it('weigh every input the same', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }), (outputs) => {
        const rows = distillationRows([{ id: 'i', input: 'q', outputs }])
        expect(rows.reduce((sum, { weight = 0 }) => sum + weight, 0)).to.be.closeTo(1, 1e-12)
      }),
    )
  })
})

describe('the split for early stopping', () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({ id: `${i}`, prompt: [i % 30, 2], answer: [i, 0], weight: 1 }))

  it('is the same for the same rows in any order, and keeps answers to one prompt together', () => {
    const { train, validation } = splitForValidation(rows, 0.2, 1)
    expect(train.length + validation.length).to.equal(60)
    expect(validation).to.have.length(12)
    const ids = (side: readonly { id: string }[]) => side.map(({ id }) => id).toSorted()
    expect(ids(splitForValidation(rows.toReversed(), 0.2, 1).validation)).to.deep.equal(ids(validation))
    const prompts = new Set(validation.map(({ prompt }) => prompt[0]))
    expect(train.some(({ prompt }) => prompts.has(prompt[0]))).to.equal(false)
    expect(ids(splitForValidation(rows, 0.2, 2).validation)).not.to.deep.equal(ids(validation))
  })

  it('sets nothing aside when that would be too little to say anything', () => {
    expect(splitForValidation(rows.slice(0, 20), 0.1, 1).validation).to.deep.equal([])
    expect(splitForValidation(rows, 0, 1).validation).to.deep.equal([])
  })
})
