import { resolve } from 'node:path'
import { expect } from 'chai'
import { ranking } from '../../../../../config/lint/ranking.ts'

type Visitor = ReturnType<typeof ranking.create>
type Syntax = Parameters<Visitor['Property']>[0]

const name = (text: string): Syntax => ({ type: 'Identifier', name: text })
const figure = (value: number): Syntax => ({ type: 'Literal', value })
const member = (object: Syntax, property: string): Syntax => ({
  type: 'MemberExpression',
  object,
  property: name(property),
})
const sum = (left: Syntax, right: Syntax): Syntax => ({ type: 'BinaryExpression', operator: '+', left, right })

function problemsIn(file: string, visit: (visitor: Visitor) => void): number {
  let problems = 0
  visit(ranking.create({ filename: resolve(file), report: () => problems++ }))
  return problems
}

const SEARCH_FILE = 'core/compile/synthesis/text/casing.ts'
const cost = member(name('node'), 'cost')

describe('house/ranking', () => {
  it('refuses figures that are added to a cost or stand as one', () => {
    const refused: ((visitor: Visitor) => void)[] = [
      (visitor) => visitor.BinaryExpression(sum(cost, figure(0.7))),
      (visitor) => visitor.BinaryExpression(sum(figure(0.7), name('price'))),
      (visitor) => visitor.BinaryExpression(sum(member(cost, 'total'), figure(5))),
      (visitor) => visitor.Property({ type: 'Property', key: name('cost'), value: figure(1) }),
      (visitor) => visitor.VariableDeclarator({ type: 'VariableDeclarator', id: name('PLAIN_COST'), init: figure(11) }),
      (visitor) =>
        visitor.CallExpression({
          type: 'CallExpression',
          callee: member(cost, 'with'),
          arguments: [{ type: 'Literal', value: 'pad' }, figure(0.5)],
        }),
    ]
    for (const visit of refused) expect(problemsIn(SEARCH_FILE, visit)).to.equal(1)
  })

  it('lets limits, counts and figures of other folders stand', () => {
    const limit = { type: 'VariableDeclarator', id: name('MAX_PIECES'), init: figure(60) }
    expect(problemsIn(SEARCH_FILE, (visitor) => visitor.VariableDeclarator(limit))).to.equal(0)
    expect(problemsIn(SEARCH_FILE, (visitor) => visitor.BinaryExpression(sum(name('count'), figure(1))))).to.equal(0)
    const added = sum(cost, figure(0.7))
    expect(problemsIn('core/billing/bill.ts', (visitor) => visitor.BinaryExpression(added))).to.equal(0)
  })
})
