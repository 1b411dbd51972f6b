import { expect } from 'chai'
import { answer } from '../first-answer.ts'

const LISTS = [
  [12, 5, 40],
  [7, 7],
  [30, 1, 2, 18],
  [9, 26, 4],
  [100, 50, 25, 5, 1],
]

function totalsOf(numbers: readonly number[]): number[] {
  let total = 0
  return numbers.map((number) => (total += number))
}

describe('running totals', () => {
  it('are those of a list, and of the numbers that a text lists', () => {
    expect(
      answer(
        LISTS.map((list) => [list, totalsOf(list)]),
        [3, 4, 5],
      ),
    ).to.deep.equal([3, 7, 12])
    const rows = LISTS.map((list) => [list.join(';'), totalsOf(list).join(';')] as const)
    expect(answer(rows, '6;1;1;10')).to.equal('6;7;8;18')
  })

  it('have the differences between neighbours as their opposite', () => {
    expect(
      answer(
        LISTS.map((list) => [totalsOf(list), list.slice(1)]),
        [2, 9, 9.5],
      ),
    ).to.deep.equal([7, 0.5])
  })
})
