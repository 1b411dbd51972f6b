import { expect } from 'chai'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { parseProgram } from '../../../../core/compile/language/parse.ts'
import { programRunner } from '../../../../core/compile/language/runner.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import { DEFAULT_WORK_BUDGET, synthesize } from '../../../../core/compile/synthesis/synthesize.ts'

const FIRST = ['Ana', 'Erik', 'Maria', 'Wei', 'Jean', 'Amira', 'Peter', 'Yuki', 'Nora', 'Ivan', 'Sofia', 'Omar']
const LAST = ['Prado', 'Holm', 'Ortiz', 'Chen', 'Roche', 'Khalil', 'Moss', 'Sato', 'Hart', 'Petrov', 'Bell']

/** Names without repetition, in a fixed order. */
function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${FIRST[i % 12]} ${LAST[(i * 7) % 11]}${i < 132 ? '' : `son${i}`}`)
}

function rowsOf<I extends Json>(inputs: readonly I[], reference: (input: I, at: number) => Json): Row[] {
  return inputs.map((input, i) => ({ id: `row_${i + 1}`, input, output: reference(input, i) }))
}

const swapped = (name: string) => name.split(' ').toReversed().join(', ')
const options = { k: 5, workBudget: DEFAULT_WORK_BUDGET }

/** Digits that have nothing to do with the row: the quadratic residues of a prime. */
const unrelated = (at: number) => ((at * at * 7919 + at * 104_729 + 13) % 1_000_003).toString(36)

describe('synthesize: what it may spend and what it may answer', () => {
  it('gives the same result for the same rows and budget', () => {
    const rows = rowsOf(['a-1', 'b-22', 'c-3', 'N/A', 'dd-4'], (text) =>
      text === 'N/A' ? 'none' : (text.split('-')[1] ?? ''),
    )
    expect(synthesize(rows, options)).to.deep.equal(synthesize(rows, options))
  })

  it('gives distinct programs in the published form, cheapest first', () => {
    const { candidates } = synthesize(rowsOf(names(6), swapped), options)
    expect(candidates.length).to.be.greaterThan(1)
    const texts = candidates.map(({ program }) => JSON.stringify(program))
    expect(new Set(texts).size).to.equal(texts.length)
    for (const { program } of candidates)
      expect(parseProgram(JSON.parse(JSON.stringify(program)))).to.deep.equal(program)
    const costs = candidates.map(({ cost }) => cost)
    expect(costs).to.deep.equal(costs.toSorted((a, b) => a - b))
  })

  it('ends at once when cancelled and says so', () => {
    const result = synthesize(
      rowsOf(names(12), (_, at) => unrelated(at)),
      { ...options, isCancelled: () => true },
    )
    expect(result.exhausted).to.equal(true)
    expect(result.workUsed).to.be.lessThan(100_000)
  })

  it('keeps to the work budget and gives the best so far', () => {
    const rows = rowsOf(names(300), (name, at) => (at % 4 === 3 ? unrelated(at) : swapped(name)))
    const full = synthesize(rows, options)
    const cut = synthesize(rows, { ...options, workBudget: Math.floor(full.workUsed * 0.7) })
    expect(cut.exhausted).to.equal(true)
    expect(cut.workUsed).to.be.at.most(full.workUsed)
    expect(cut.candidates[0]?.trainMatches).to.be.at.least(225)
    expect(synthesize(rows, { ...options, workBudget: 50 })).to.deep.include({ candidates: [], exhausted: true })
  })

  it('does not learn unrelated outputs by heart', () => {
    const { candidates } = synthesize(
      rowsOf(names(40), (_, at) => unrelated(at)),
      options,
    )
    for (const { trainMatches } of candidates) expect(trainMatches).to.be.lessThan(4)
  })

  it('has no answer for no rows', () => {
    expect(synthesize([], options).candidates).to.deep.equal([])
  })
})

describe('synthesize on many and on messy rows', () => {
  it('tolerates wrong rows and says how many are right', () => {
    const rows = rowsOf(names(120), (name, at) => (at % 20 === 7 ? `??${at}` : swapped(name)))
    const [best] = synthesize(rows, options).candidates
    expect(best?.trainMatches).to.equal(114)
    if (best !== undefined)
      expect(programRunner(best.program).run('Carla Benedetti').output).to.equal('Benedetti, Carla')
  })

  it('learns from ten thousand rows', () => {
    const inputs = Array.from({ length: 10_000 }, (_, i) => ({
      name: names(40)[i % 40] ?? '',
      qty: i % 37,
      price: (i % 90) / 4,
    }))
    const rows = rowsOf(inputs, ({ name, qty, price }) => `${name.toUpperCase()}: $${(qty * price).toFixed(2)}`)
    const result = synthesize(rows, options)
    expect(result.candidates[0]?.trainMatches).to.equal(10_000)
  })

  it('reads a table off a column with few values', () => {
    const codes: Readonly<Record<string, string>> = { California: 'CA', Texas: 'TX', Ohio: 'OH', Maine: 'ME' }
    const states = Array.from({ length: 24 }, (_, i) => Object.keys(codes)[(i * 5 + (i >> 2)) % 4] ?? '')
    const [best] = synthesize(
      rowsOf(states, (state) => codes[state] ?? ''),
      options,
    ).candidates
    expect(best?.trainMatches).to.equal(24)
  })

  it('learns limits between grades', () => {
    const grade = (score: number) => (score >= 90 ? 'A' : score >= 75 ? 'B' : score >= 60 ? 'C' : 'D')
    const scores = Array.from({ length: 101 }, (_, i) => (i * 37) % 101)
    const [best] = synthesize(rowsOf(scores, grade), options).candidates
    if (best === undefined) throw new Error('no candidate')
    const runner = programRunner(best.program)
    for (const score of [100, 90, 89.5, 75, 74, 60, 59, 0]) expect(runner.run(score).output).to.equal(grade(score))
  })
})
