import { expect } from 'chai'
import { chooseAbstention } from '../../../../core/compile/stages/verifier/abstention.ts'
import { checkOutput } from '../../../../core/compile/stages/verifier/check-output.ts'
import { synthesizeVerifier } from '../../../../core/compile/stages/verifier/synthesize-verifier.ts'
import { deskRows, hopelessRows, nameRows, rowsOf } from '../rows/given-rows.ts'

const INVOICES = rowsOf(
  Array.from({ length: 30 }, (_, i) => {
    const id = `INV-${1000 + i * 37}`
    const total = 10 + i * 3
    return [
      `Invoice ${id} over ${total} euros, due 2026-0${(i % 9) + 1}-1${i % 9}`,
      { id, total, due: `2026-0${(i % 9) + 1}-1${i % 9}` },
    ] as const
  }),
)

describe('verifier synthesis', () => {
  it('tells the kinds of outputs apart', () => {
    const typeOf = (outputs: readonly (string | number | boolean)[]): string =>
      synthesizeVerifier(rowsOf(outputs.map((output, i) => [`input ${i} q`, output] as const))).output.type
    expect(typeOf([true, false, true, true])).to.equal('boolean')
    expect(typeOf([1.5, 2, 3.25])).to.equal('number')
    expect(typeOf(['1999-01-02', '2026-12-31', '2020-02-29'])).to.equal('date')
    expect(synthesizeVerifier(deskRows()).output.type).to.equal('label')
    expect(synthesizeVerifier(nameRows()).output.type).to.equal('text')
    expect(synthesizeVerifier(INVOICES).output.type).to.equal('object')
    expect(
      synthesizeVerifier(
        rowsOf([
          ['a b', 'a'],
          ['c d', 'c'],
          ['e f', 'e'],
        ]),
      ).output.type,
    ).to.equal('extraction')
  })

  it('accepts right answers that it never saw', () => {
    const rows = INVOICES
    const verifier = synthesizeVerifier(rows.slice(0, 20))
    for (const { input, output } of rows.slice(20))
      expect(checkOutput(verifier, input, output)).to.deep.equal({ pass: true, failed: [] })
  })

  it('refuses wrong answers of many kinds', () => {
    const verifier = synthesizeVerifier(INVOICES)
    const row = INVOICES[3]
    const refuse = (output: Parameters<typeof checkOutput>[2]): readonly string[] =>
      checkOutput(verifier, row?.input ?? null, output).failed
    expect(refuse('INV-1111')).to.include('type:.')
    expect(refuse({ id: 'INV-1111', total: 19 })).to.include('members:.')
    expect(refuse({ id: 'INV-9999', total: 19, due: '2026-04-13' })).to.include('copied:id')
    expect(refuse({ id: 'INV-1111', total: '19', due: '2026-04-13' })).to.include('type:total')
    expect(refuse({ id: 'INV-1111', total: 19, due: '13.04.2026' })).to.include('shape_exact:due')
    expect(verifier.soundness.false_accept_rate).to.be.lessThan(0.1)
    expect(verifier.soundness.mutants).to.be.greaterThan(500)
  })

  it('compares no digits of amounts, which inputs write otherwise, and of names of labels', () => {
    const amounts = Array.from({ length: 12 }, (_, i) => [
      `paid EUR ${30 + i}.2${i % 9 || 1} today`,
      30 + i + (20 + (i % 9 || 1)) / 100,
    ])
    const verifier = synthesizeVerifier(
      rowsOf(amounts.map(([input, output]) => [String(input), Number(output)] as const)),
    )
    expect(checkOutput(verifier, 'paid EUR 37.40 today', 37.4).failed).to.deep.equal([])
    const labels = Array.from(
      { length: 12 },
      (_, i) => [{ level: 10 + i, part: 1 }, `class_${i < 6 ? 1 : 10 + (i % 2)}`] as const,
    )
    const { checks } = synthesizeVerifier(rowsOf(labels))
    expect(checks.filter(({ kind }) => kind === 'numbers_kept')).to.deep.equal([])
  })

  it('drops checks that only describe the rows at hand', () => {
    const words = ['oak', 'birch', 'ash', 'willow', 'elm', 'poplar', 'yew', 'sycamore']
    const verifier = synthesizeVerifier(rowsOf(words.map((word) => [`a ${word} tree`, word] as const)))
    expect(verifier.completeness.dropped).to.include('shape_exact:.')
    expect(checkOutput(verifier, 'a hornbeam tree', 'hornbeam').pass).to.equal(true)
    expect(checkOutput(verifier, 'a hornbeam tree', 'beech').pass).to.equal(false)
  })

  it('refuses what a negative example rules out', () => {
    const negatives = [{ id: 'n', input: 'specimen 3', notOutput: '1-1' }]
    const verifier = synthesizeVerifier(hopelessRows(10), { negatives })
    expect(checkOutput(verifier, 'specimen 3', '1-1').failed).to.deep.equal(['not_output:.'])
  })

  it('finds invariances that the rows speak for', () => {
    const pairs = [
      ['open it', 'do'],
      ['OPEN IT', 'do'],
      ['shut it', 'undo'],
      ['Shut It', 'undo'],
    ] as const
    expect(synthesizeVerifier(rowsOf(pairs)).metamorphic.map(({ change }) => change)).to.include('letter_case')
    const cased = [
      ['ab', 'ab'],
      ['AB', 'AB'],
    ] as const
    expect(synthesizeVerifier(rowsOf(cased)).metamorphic).to.deep.equal([])
  })

  it('is the same, hash and all, for the same rows', () => {
    expect(synthesizeVerifier(INVOICES)).to.deep.equal(synthesizeVerifier(INVOICES))
    expect(synthesizeVerifier(INVOICES).hash).not.to.equal(synthesizeVerifier(INVOICES.slice(1)).hash)
  })

  it('sets a threshold that withholds no right answer it knows of', () => {
    const predictions = [0.9, 0.6, 0.7].map((confidence) => ({ confidence, correct: true }))
    const wrong = [0.3, 0.65].map((confidence) => ({ confidence, correct: false }))
    const chosen = chooseAbstention([...predictions, ...wrong])
    expect(chosen).to.deep.include({ threshold: 0.54, right_withheld: 0, wrong_withheld: 1 })
  })
})
