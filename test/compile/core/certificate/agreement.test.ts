import { expect } from 'chai'
import { agreementRunner, weighAlternatives } from '../../../../core/compile/runtime/certificate/agreement.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { parseProgram } from '../../../../core/compile/language/parse.ts'
import { programRunner } from '../../../../core/compile/language/runner.ts'
import { searchPrograms, alternativesOf } from '../../../../core/compile/stages/sample/search-programs.ts'
import { rowsOf } from '../rows/given-rows.ts'

const AMBIGUOUS = rowsOf([
  ['Ada Lovelace', 'Lovelace'],
  ['Grace Hopper', 'Hopper'],
  ['Alan Turing', 'Turing'],
])

describe('agreement of programs', () => {
  const search = {
    task: 'Give the family name',
    k: 8,
    keepsAlternatives: true,
    equality: { spec: 'svc-equality-1' as const, rules: [] },
    negatives: [],
    unlabelled: [],
    workBudget: 200_000,
    cpuMs: () => 0,
    endsAtMs: 1,
    isCancelled: () => false,
  }
  const { programs } = searchPrograms(AMBIGUOUS, search)
  const [winner] = programs
  if (winner === undefined) throw new Error('no program was found')
  const alternatives = alternativesOf(winner, programs, search)

  it('keeps at most eight programs that are right on the same rows, with their shares of the posterior', () => {
    expect(alternatives).to.have.length.within(1, 8)
    const sum = alternatives.reduce((total, { weight }) => total + weight, 0)
    expect(sum).to.be.within(0, 1)
    for (const { program } of alternatives) {
      const runner = programRunner(parseProgram(program))
      for (const { input, output } of AMBIGUOUS) expect(runner.run(input).output).to.equal(output)
    }
    expect(alternativesOf(winner, programs, { keepsAlternatives: false })).to.deep.equal([])
  })

  it('is whole on rows like the examples, and less where the programs part', () => {
    const runner = agreementRunner(winner.runner, alternatives)
    expect(runner.run('Barbara Liskov')).to.deep.include({ output: 'Liskov', confidence: 1 })
    expect(runner.run('Edsger Wybe Dijkstra').confidence).to.be.lessThan(1)
  })

  it('weighs programs by their costs', () => {
    const recipe: JsonObject = {}
    const [second, third] = weighAlternatives([1, 1, 40].map((cost) => ({ recipe, cost })))
    expect(second?.weight).to.be.closeTo(0.5, 0.01)
    expect(third?.weight).to.be.lessThan(0.01)
  })
})
