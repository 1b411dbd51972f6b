import { expect } from 'chai'
import { codeOfModel } from '../../../../../core/compile/runtime/code/code.ts'
import { modelCases } from './model-cases.ts'
import { compareModelPython, compareModelTypescript, type ModelCase } from './printed-models.ts'
import { typeErrorsOf } from './printed.ts'

describe('a model as code', () => {
  let cases: readonly ModelCase[] = []

  before(() => {
    cases = modelCases(12, 30)
  })

  it('answers in Python as the runtime does, with examples that hold', () => {
    for (const one of cases) expect(compareModelPython(one).differences).to.deep.equal([])
  })

  it('answers in TypeScript as the runtime does', () => {
    for (const one of cases) expect(compareModelTypescript(one).differences).to.deep.equal([])
  })

  it('has types that the compiler accepts', () => {
    const sources = cases.map(
      ({ model, task, inputs }) => codeOfModel(model, 'typescript', { task, inputs })[0]?.content,
    )
    expect(typeErrorsOf(sources.map((source) => source ?? ''))).to.equal('')
  })
})
