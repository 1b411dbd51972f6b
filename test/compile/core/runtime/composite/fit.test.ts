import { expect } from 'chai'
import { compositeRunner } from '../../../../../core/compile/runtime/composite/composite-runner.ts'
import { pointerOf } from '../../../../../core/compile/runtime/composite/places.ts'
import { inferShape } from '../../../../../core/compile/runtime/composite/shape.ts'
import { inferEquality } from '../../../../../core/compile/rows/equality/infer-equality.ts'
import { factsOf } from '../../../../../core/compile/rows/intake/example.ts'
import { fitComposite } from '../../../../../core/compile/stages/sample/composite/fit-composite.ts'
import { needsComposite } from '../../../../../core/compile/stages/sample/composite/needs-composite.ts'
import { samplePart, splitSample } from '../../../../../core/compile/stages/sample/sample-part.ts'
import type { SampleInput } from '../../../../../core/compile/stages/stage-types.ts'
import type { Row } from '../../../../../core/compile/rows/task.ts'
import { createRandom } from '../../../../../core/model/random.ts'
import { isJsonObject } from '../../../../../core/kernel/json/json.ts'
import { rowsOf } from '../../rows/given-rows.ts'
import { messageRows, textOf } from './given.ts'

function fit(rows: readonly Row[], workBudget = 900_000) {
  const outputs = rows.map(({ output }) => output)
  const outcome = fitComposite(rows, inferShape(outputs), inferEquality(outputs), {
    search: {
      task: 'x',
      unlabelled: [],
      k: 3,
      keepsAlternatives: false,
      cpuMs: () => 0,
      endsAtMs: Infinity,
      isCancelled: () => false,
    },
    trainingShare: 1,
    checkpoint: () => undefined,
    workBudget,
  })
  if (outcome.fitted === null) throw new Error(outcome.reason)
  return outcome.fitted
}

/** Messages whose output holds a code that begins with the desk's first letter: two desks share one. */
function rowsWithCode(): readonly Row[] {
  return messageRows().map((row) => {
    const { desk, amount } = isJsonObject(row.output) ? row.output : {}
    return {
      ...row,
      output: { desk: desk ?? null, amount: amount ?? null, route: `${textOf(desk).slice(0, 1)}/${textOf(amount)}` },
    }
  })
}

const TOPICS = {
  delay: ['the parcel is late', 'my parcel has not come', 'still no parcel'],
  refund: ['i want my money back', 'please refund me', 'send the money back'],
  screen: ['the screen is broken', 'a crack in the screen', 'my screen stays black'],
} as const

/** Messages about one to three topics in any order, with a number of an order: 120 rows. */
function topicRows(): readonly Row[] {
  return rowsOf(
    Array.from({ length: 120 }, (_, at) => {
      const drawn = createRandom(at, 'topics')
      const topics = Object.entries(TOPICS).filter((_topic, bit) => (((at % 7) + 1) & (1 << bit)) > 0)
      const parts = topics.map(([, texts]) => texts[drawn.below(texts.length)] ?? '')
      const order = String(drawn.below(100_000)).padStart(5, '0')
      const text = `Order ${order}: ${(drawn.below(2) === 0 ? parts : parts.toReversed()).join(', and ')}.`
      return [text, { order, topics: topics.map(([topic]) => topic) }] as const
    }),
  )
}

/** Homes whose points are a weighted sum of numbers, which no small program is, within `noise` points. */
function homeRows(noise: number): readonly Row[] {
  const drawn = createRandom(7, 'homes')
  return rowsOf(
    Array.from({ length: 120 }, () => {
      const [rooms, area, age] = [1 + drawn.below(9), 20 + drawn.below(180), drawn.below(90)]
      const city = ['Bern', 'Genf', 'Chur'][drawn.below(3)] ?? ''
      const hasGarden = drawn.below(2) === 1
      const extras = (city === 'Bern' ? 50 : 0) + (hasGarden ? 35 : 0)
      const points = 12 * rooms + 3 * area - 2 * age + extras + noise * drawn.below(10_000)
      return [
        { rooms, area, age, city, garden: hasGarden },
        { city: city.toLowerCase(), points },
      ] as const
    }),
  )
}

describe('fit of a composite', function () {
  this.timeout(180_000)

  it('lets a leaf read another one where that makes a program of it', () => {
    const { leaves, recipe, weights } = fit(rowsWithCode())
    const route = leaves.find(({ place }) => pointerOf(place.path) === '/route')
    expect(route?.leaf).to.include({ kind: 'program' })
    expect(route?.leaf.reads).to.have.members(['/desk', '/amount'])
    const { output } = compositeRunner(recipe, weights).run(
      'Can you replace my printer ink for me. It is 12 EUR on 01.02.2026',
    )
    expect(output).to.deep.equal({ desk: 'office', amount: 12, route: 'o/12' })
  })

  it('answers several labels of a text by one leaf, beside a leaf that copies', () => {
    const { leaves, recipe, weights } = fit(topicRows())
    expect(leaves.map(({ place, leaf }) => [pointerOf(place.path), leaf.kind])).to.deep.equal([
      ['/order', 'program'],
      ['/topics', 'labels'],
    ])
    const { output } = compositeRunner(recipe, weights).run('Order 00417: still no parcel, and please refund me.')
    expect(output).to.deep.equal({ order: '00417', topics: ['delay', 'refund'] })
  })

  it('answers numbers of a table by a model of numbers, where its answers are within the tolerance of the place', () => {
    const { leaves, recipe, weights } = fit(homeRows(0), 20_000)
    expect(leaves.map(({ leaf }) => leaf.kind)).to.deep.equal(['program', 'number'])
    expect(leaves[1]?.evidence).to.deep.equal({ rows: 120, right: 120 })
    const { output } = compositeRunner(recipe, weights).run({
      rooms: 4,
      area: 101,
      age: 30,
      city: 'Bern',
      garden: true,
    })
    expect(output).to.deep.equal({ city: 'bern', points: 376 })
    expect(() => fit(homeRows(1), 20_000)).to.throw('a model of numbers is right on no held-back row')
  })

  it('is the same for the same rows', () => {
    const [one, two] = [fit(messageRows(2)), fit(messageRows(2))]
    expect(one.recipe).to.deep.equal(two.recipe)
  })

  it('says which leaf no kind answers', () => {
    const rows = rowsOf(
      Array.from({ length: 12 }, (_, at) => [`text ${at}`, { a: 'x', b: `${Math.sin(at)} y`.slice(2) }] as const),
    )
    expect(() => fit(rows, 20_000)).to.throw('/b: ')
  })

  it('refuses more leaves than a compile fits', () => {
    const wide = Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`m${at}`, at]))
    const rows = rowsOf(Array.from({ length: 12 }, (_, at) => [`text ${at}`, wide] as const))
    expect(() => fit(rows)).to.throw('outputs have 33 parts, more than 32')
  })

  it('is needed where outputs have parts and no program does the whole task', () => {
    const inputOf = (rows: readonly Row[]): SampleInput => ({
      task: 'x',
      rows,
      negatives: [],
      facts: factsOf(rows),
      k: 2,
      budgetMs: 20_000,
      workBudget: 50_000,
    })
    const isNeeded = (rows: readonly Row[], choice: Pick<SampleInput, 'recipeKind'> = {}): boolean => {
      const input = { ...inputOf(rows), ...choice }
      const { split } = splitSample(input)
      const program = samplePart({ input, split, part: { kind: 'program', fold: null } })
      const folds = (program.whole?.candidates ?? null) === null ? [] : (split.folds ?? [])
      const parts = folds.map((_, fold) => samplePart({ input, split, part: { kind: 'program', fold } }))
      return needsComposite(input, split, [program, ...parts])
    }
    const copied = rowsOf(Array.from({ length: 14 }, (_, at) => [`id ${at * 31}`, { id: String(at * 31) }] as const))
    expect(isNeeded(messageRows())).to.equal(true)
    expect(isNeeded(messageRows().slice(0, 9))).to.equal(false)
    expect(isNeeded(copied)).to.equal(false)
    expect(isNeeded(copied, { recipeKind: 'composite' })).to.equal(true)
    expect(isNeeded(messageRows().map((row) => ({ ...row, output: 'x' })))).to.equal(false)
  })
})
