import { expect } from 'chai'
import { openGuard } from '../../../../core/compile/runtime/guard.ts'
import { VerifierDocument } from '../../../../core/compile/archive/schemas/verifier.ts'
import { isUnlike } from '../../../../core/compile/stages/verifier/check-output.ts'
import {
  crossFitVerifier,
  synthesizeVerifier,
  withDoubt,
} from '../../../../core/compile/stages/verifier/synthesize-verifier.ts'
import { loanRows } from '../../../model/tabular/given.ts'
import { deskRows, rowsOf } from '../rows/given-rows.ts'

describe('inputs unlike the rows', () => {
  const desks = synthesizeVerifier(deskRows())

  it('are found by type, members, categories, ranges and characters', () => {
    const loans = synthesizeVerifier(rowsOf(loanRows(60).map(({ input, output }) => [input, output] as const)))
    const unlike = (input: Parameters<typeof isUnlike>[1]): boolean => isUnlike(loans.inputs.checks, input)
    const usual = { since: '2015-03-09', note: 'please call number 17', currency: 'EUR', debts: 0 }
    const person = { income: 4800, work: 'employed', is_member: true }
    expect(unlike({ ...usual, person })).to.equal(false)
    expect(unlike('a text')).to.equal(true)
    expect(unlike({ person, debts: 0 })).to.equal(true)
    expect(unlike({ ...usual, person: { ...person, income: '4800' } })).to.equal(true)
    expect(unlike({ ...usual, person: { ...person, work: 'retired' } })).to.equal(true)
    expect(unlike({ ...usual, person, debts: 1e9 })).to.equal(true)
    expect(isUnlike(desks.inputs.checks, 'Где найти лопату для огорода?')).to.equal(true)
  })

  it('are found by checks that name no value where the archive holds digests', () => {
    const rows = rowsOf(loanRows(60).map(({ input, output }) => [input, output] as const))
    const kindsOf = (hidesInputs: boolean) => {
      const { checks, dropped } = synthesizeVerifier(rows, { hidesInputs }).inputs
      return [...checks.map(({ id }) => id), ...dropped].map((id) => id.slice(0, id.indexOf(':')))
    }
    expect(kindsOf(false)).to.include.members(['one_of', 'range', 'type'])
    expect(kindsOf(true)).to.include('type').and.not.include('one_of').and.not.include('range')
  })

  it('are found by their trigrams in longer texts', () => {
    const familiar = desks.inputs.checks.find(({ kind }) => kind === 'familiar')
    expect(familiar?.id).to.equal('familiar:.')
    expect(isUnlike(desks.inputs.checks, 'Where do I find the soup ladle')).to.equal(false)
    expect(isUnlike(desks.inputs.checks, 'zq xvkj wqpfz jjxk vvzq kxqj')).to.equal(true)
  })

  it('come with the share of the rows that other rows refuse', () => {
    const { rows, false_alarms: alarms, false_alarm_rate: rate } = desks.inputs
    expect(rows).to.equal(96)
    expect(rate).to.equal(Number((alarms / rows).toFixed(4)))
    expect(rate).to.be.at.most(0.02)
  })

  it('are judged in cross-fitting by checks that their fold did not make', () => {
    const rows = rowsOf([
      ['aa 1', 10],
      ['bb 2', 20],
      ['cc 3', 30],
      ['dd 4', 22],
      ['ee 5', 25],
    ])
    const { verifier, checksFor } = crossFitVerifier(rows, { folds: [[0], [1], [2], [3], [4]] })
    const kept = new Set(verifier.checks.map(({ id }) => id))
    expect(checksFor(2).checks.every(({ id }) => kept.has(id))).to.equal(true)
    expect(checksFor(2)).not.to.deep.equal(checksFor(3))
    expect(checksFor(99).checks).to.deep.equal(verifier.checks)
  })
})

describe('guard of a run', () => {
  const verifier = synthesizeVerifier(deskRows())
  const open = (onDoubt: 'answer' | 'abstain') =>
    openGuard({
      verifier: VerifierDocument.parse(JSON.parse(JSON.stringify(withDoubt(verifier, onDoubt)))),
      certificate: null,
      recipe: { kind: 'classifier' },
    })
  const answer = (output: string, confidence = 0.9) => ({ abstained: false as const, output, confidence })
  const INPUT = 'Where do I find the soup ladle'

  it('lets an answer through that passes its checks', () => {
    const result = open('abstain')(INPUT, answer('kitchen'))
    expect(result).to.deep.include({ output: 'kitchen', abstained: false, confidence: 0.9, unlikeExamples: false })
    expect(result.checks?.failed).to.deep.equal([])
    expect(result.checks?.passed).to.include('one_of:.')
  })

  it('withholds an answer in doubt, or gives it, as the version says, with no more confidence than one half', () => {
    expect(open('abstain')(INPUT, answer('cellar'))).to.deep.include({ output: null, abstained: true, confidence: 0.5 })
    const given = open('answer')(INPUT, answer('cellar'))
    expect(given).to.deep.include({ output: 'cellar', abstained: false, confidence: 0.5 })
    expect(given.checks?.failed).to.include('one_of:.')
    const odd = open('answer')('zq xvkj wqpfz jjxk vvzq kxqj', answer('kitchen', 0.3))
    expect(odd).to.deep.include({ abstained: false, confidence: 0.3, unlikeExamples: true })
  })

  it('leaves an abstention of the recipe as it is', () => {
    const result = open('answer')(INPUT, { abstained: true, output: null, confidence: 0.1 })
    expect(result).to.deep.equal({
      output: null,
      abstained: true,
      confidence: 0.1,
      checks: null,
      unlikeExamples: false,
    })
  })
})
