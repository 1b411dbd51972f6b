import { expect } from 'chai'
import { synthesize } from '../../../core/compile/synthesis/synthesize.ts'
import { costOf } from '../../../core/compile/synthesis/ranking/cost.ts'
import { EXACTLY } from '../../../core/compile/rows/equality/same-output.ts'
import { Collector } from '../../../core/compile/synthesis/solve/collector.ts'
import { rowsOf } from '../../compile/core/rows/given-rows.ts'
import { compileOddSet, stepsFor } from '../../support/odd-sets/compile-odd-set.ts'
import { oddSet } from '../../support/odd-sets/odd-sets.ts'

const SEEDS = 25

describe('rows that are hard to read', () => {
  it('with long equal prefixes compile: a regular expression beyond the bounds of the language is not tried', () => {
    const prefix = 'x'.repeat(600)
    const rows = rowsOf(
      ['ada', 'bob', 'cyd', 'dan', 'eve', 'flo'].map((name) => [`${prefix}=${name}; z=4`, name] as const),
    )
    const { candidates, dropped } = synthesize(rows, { k: 4, workBudget: 100_000 })
    expect(candidates[0]?.trainMatches).to.equal(rows.length)
    expect(dropped).to.deep.equal([])
  })

  it('drop a candidate that the language refuses, with the reason, and keep the others', () => {
    const collector = new Collector(['a'], ['A'], EXACTLY)
    const regex = 'a'.repeat(513)
    collector.add(
      { op: 'extract', text: { op: 'input' }, pattern: { kind: 'regex', regex }, occurrence: 1 },
      costOf('input'),
    )
    collector.add({ op: 'upper', text: { op: 'input' } }, costOf('input', 2))
    expect(collector.best(3).map(({ expr }) => expr.op)).to.deep.equal(['upper'])
    expect(collector.dropped).to.deep.equal(['regular expression: longer than 512 at 512'])
  })

  for (const [title, outputs] of [
    ['longer than a number', ['5'.repeat(400), `7${'0'.repeat(330)}`, '12', '1']],
    ['far apart in size', [1e300, 0.1234567891, 2, 1e-300]],
    ['with hundreds of decimals', [`0.${'3'.repeat(400)}`, `1.${'0'.repeat(330)}7`, '2.5', '3']],
  ] as const) {
    it(`with numbers ${title} do not hold a search for ever`, () => {
      const rows = rowsOf(outputs.map((output, at) => [[at, at * 7, at + 0.5], output] as const))
      expect(() => synthesize(rows, { k: 4, workBudget: 20_000 })).not.to.throw()
    })
  }

  it('never end a compile as internal', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const set = oddSet(seed)
      const { code, error } = await compileOddSet(set, stepsFor(seed + 1))
      expect(code, `${set.name}: ${error instanceof Error ? error.stack : ''}`).to.not.equal('internal')
    }
  })
})
