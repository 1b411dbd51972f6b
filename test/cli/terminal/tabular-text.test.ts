import { expect } from 'chai'
import { describeTabular } from '../../../cli/terminal/recipes/tabular-text.ts'
import { sha256 } from '../../../core/kernel/json/json.ts'
import { fit, loanRows, numberRows, tagRows } from '../../model/tabular/given.ts'

describe('svc inspect of a tabular model', () => {
  const textOf = ({ recipe, weights }: ReturnType<typeof fit>): string =>
    describeTabular(
      {
        id: 'rcp_00000000000000000000000000',
        kind: 'tabular',
        tabular: recipe,
        weights: { member: 'weights.bin', sha256: sha256(weights), size_bytes: weights.length },
      },
      weights,
    )

  it('names the learners, the members that are read, and the labels', () => {
    const text = textOf(fit(loanRows(60), 'label'))
    expect(text).to.match(/^linear model and \d+ trees, .* of weights\n/)
    expect(text).to.include('person.income (number)').and.include('since (date)')
    expect(text).to.include('labels: ask, grant, refuse').and.include('abstains below a confidence of')
  })

  it('says that the answer is a list', () => {
    expect(textOf(fit(tagRows(40), 'labels'))).to.include('lists of labels: ')
  })

  it('says how near to the right number the answers are', () => {
    expect(textOf(fit(numberRows(60), 'number'))).to.match(
      /a number; 90 % of its answers are within [\d.]+ of the right number/,
    )
  })
})
