import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { RANKING_PATH, rankingText, readRanking } from '../../../../../bench/ranking/ranking-file.ts'
import { ALL_TASKS } from '../../../../../bench/tasks/all.ts'
import type { Json } from '../../../../../core/kernel/json/json.ts'
import { rankPrograms } from '../../../../../core/compile/synthesis/synthesize.ts'

const SEARCH = 'core/compile/synthesis'

function rankedOn(examples: readonly { readonly input: Json; readonly output: Json }[]) {
  const rows = examples.map((example, i) => ({ id: `row_${i + 1}`, ...example }))
  return rankPrograms(rows, { k: 16, workBudget: 300_000 }).ranked
}

function featuresOf(examples: readonly (readonly [Json, Json])[]): Record<string, number> {
  const [first] = rankedOn(examples.map(([input, output]) => ({ input, output })))
  return Object.fromEntries(first?.cost.features() ?? [])
}

describe('ranking: features of programs', () => {
  it('add up to the cost of every candidate', () => {
    const { weights } = readRanking()
    let count = 0
    for (const task of ALL_TASKS.filter((_, at) => at % 12 === 0)) {
      for (const { cost } of rankedOn(task.examples.slice(0, 4))) {
        let sum = 0
        for (const [name, times] of cost.features()) sum += (weights[name] ?? Number.NaN) * times
        // A share of a cost is rounded to a millionth.
        expect(sum, task.name).to.be.closeTo(cost.value, 1e-5)
        count++
      }
    }
    expect(count).to.be.greaterThan(100)
  })

  it('name what the first program is made of', () => {
    expect(
      featuresOf([
        ['ann', 'ANN'],
        ['bob', 'BOB'],
      ]),
    ).to.deep.equal({ 'case.upper': 1, input: 1 })
    expect(
      featuresOf([
        [{ price: 3 }, 6],
        [{ price: 5 }, 10],
        [{ price: 8 }, 16],
      ]),
    ).to.deep.equal({ input: 1, member: 1, number: 1, 'number.digit': 1, scale: 1 })
    expect(
      featuresOf([
        ['2024-03-01', '01.03.2024'],
        ['2023-12-24', '24.12.2023'],
        ['2025-07-09', '09.07.2025'],
      ]),
    ).to.deep.equal({
      input: 1,
      readDate: 1,
      writeDate: 1,
      'writeDate.part': 3,
      'writeDate.part.place': 3,
      'writeDate.separator': 2,
    })
    expect(
      featuresOf([
        [
          ['b', 'a'],
          ['a', 'b'],
        ],
        [
          ['c', 'd', 'a'],
          ['a', 'c', 'd'],
        ],
      ]),
    ).to.deep.equal({ input: 1, sort: 1 })
  })
})

describe('ranking.json', () => {
  it('has the bytes that the fit writes', () => {
    expect(readFileSync(RANKING_PATH, 'utf8')).to.equal(rankingText(readRanking()))
  })

  it('holds no figure that the search does not read', () => {
    const files = readdirSync(SEARCH, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    const code = files.map((name) => readFileSync(`${SEARCH}/${name}`, 'utf8')).join('\n')
    const { weights, shares, bounds } = readRanking()
    const isRead = (name: string) => {
      const family = name.slice(0, name.indexOf('.') + 1)
      return code.includes(`'${name}'`) || (family !== '' && code.includes(`\`${family}$`))
    }
    expect([weights, shares, bounds].flatMap(Object.keys).filter((name) => !isRead(name))).to.deep.equal([])
  })
})
