import { expect } from 'chai'
import { compileProgram } from '../../../../../core/compile/language/evaluate/evaluate.ts'
import { DEFAULT_WORK_BUDGET, synthesize } from '../../../../../core/compile/synthesis/synthesize.ts'
import type { Row } from '../../../../../core/compile/rows/task.ts'
import type { Json } from '../../../../../core/kernel/json/json.ts'

const WORDS = 'the shelf was moved before noon and a part of it is still open for the note of that day'.split(' ')

/** Lines of words without a fact, different for each seed. */
function filler(seed: number, lines: number): string[] {
  return Array.from({ length: lines }, (_, line) =>
    Array.from(
      { length: 5 + ((seed + line) % 7) },
      (_, at) => WORDS[(seed * 31 + line * 17 + at * 7) % WORDS.length],
    ).join(' '),
  )
}

interface Made {
  readonly input: Json
  readonly output: Json
}

/** Solves from the first rows and answers the last one. */
function expectSolved(rows: readonly Made[], shown = 3): void {
  const given = rows.map((row, i): Row => ({ id: `row_${i + 1}`, ...row }))
  const { candidates } = synthesize(given.slice(0, shown), { k: 5, workBudget: DEFAULT_WORK_BUDGET })
  const program = candidates[0]?.program
  if (program === undefined) throw new Error('no program')
  const compiled = compileProgram(program)
  for (const { input, output } of rows.slice(shown)) expect(compiled.attempt(input)).to.deep.equal(output)
}

const seeds = [1, 2, 3, 4, 5]

describe('extraction: long texts', () => {
  it('gives a text by its label, out of a member of the input', () => {
    expectSolved(
      seeds.map((seed) => ({
        input: {
          id: seed,
          body: [...filler(seed, 40 + seed), `Reference code: R-${seed * 7919}`, ...filler(seed + 9, 60)].join('\n'),
        },
        output: `R-${seed * 7919}`,
      })),
    )
  })

  it('gives the items of one section of several', () => {
    expectSolved(
      seeds.map((seed) => {
        const items = Array.from({ length: 2 + seed }, (_, i) => `part ${seed * 13 + i}`)
        const others = Array.from({ length: 6 - seed }, (_, i) => `tool ${seed * 11 + i}`)
        const list = (names: readonly string[]) => names.map((name) => `* ${name}`)
        const text = ['Tools', ...list(others), '', 'Parts', ...list(items), '', 'Notes', ...list(filler(seed, 3))]
        return { input: [...filler(seed, 30), '', ...text, '', ...filler(seed + 5, 30)].join('\n'), output: items }
      }),
    )
  })

  it('gives objects of records whose labels come and go', () => {
    expectSolved(
      seeds.map((seed) => {
        const cards = Array.from({ length: 5 + seed }, (_, i) => ({
          name: `N${seed * 17 + i}`,
          ...((seed + i) % 3 === 0 ? {} : { phone: `+49 ${seed}${i}77` }),
          city: ['Graz', 'Porto', 'Quito'][(seed + i) % 3] ?? '',
        }))
        const records = cards.map((card) =>
          [
            `Name: ${card.name}`,
            ...('phone' in card ? [`Phone: ${card.phone}`] : []),
            `Remark: ${filler(seed, 1).join('')}`,
            `City: ${card.city}`,
          ].join('\n'),
        )
        return { input: `Address book\n\n${records.join('\n\n')}\n`, output: cards }
      }),
    )
  })

  it('gives null where the rows show that a line is missing', () => {
    expectSolved(
      seeds.map((seed) => {
        const vat = seed % 2 === 0 ? null : `DE${seed * 104_729}`
        const head = [`Number: ${seed * 31}`, ...(vat === null ? [] : [`VAT: ${vat}`]), `Total: ${seed * 3}.50 EUR`]
        return {
          input: [...head, ...filler(seed, 60)].join('\n'),
          output: { number: String(seed * 31), vat, total: `${seed * 3}.50` },
        }
      }),
    )
  })

  it('gives fields of printed columns', () => {
    expectSolved(
      seeds.map((seed) => {
        const rows = Array.from({ length: 20 + seed }, (_, i) => ({
          item: WORDS[(seed + i) % 9] === 'a' ? 'an old lamp' : `lamp ${WORDS[(seed + i) % 9] ?? ''}`,
          price: `${(seed * 37 + i * 91) % 500}.${10 + ((seed + i) % 80)}`,
        }))
        const lines = rows.map(
          ({ item, price }, i) => `A${1000 + seed * 50 + i}  ${item.padEnd(24)}${price.padStart(10)}`,
        )
        return {
          input: ['Offer', '', ...filler(seed, 5), '', ...lines, '', ...filler(seed, 9)].join('\n'),
          output: rows,
        }
      }),
    )
  })

  it('keeps to its steps on texts of 1 MiB, found or not', () => {
    const rows = (answer: (seed: number) => string) =>
      Array.from({ length: 6 }, (_, seed): Row => {
        const lines = filler(seed + 1, 20_000)
        lines.splice(3000 * (seed + 1), 0, `Ticket: T${seed * 7919 + 1}`)
        const text = lines.join('\n')
        return { id: `row_${seed}`, input: text.padEnd(1_048_576, '.'), output: answer(seed) }
      })
    const options = { k: 5, workBudget: DEFAULT_WORK_BUDGET }
    const found = synthesize(
      rows((seed) => `T${seed * 7919 + 1}`),
      options,
    )
    expect(found.candidates[0]?.trainMatches).to.equal(6)
    expect(found.workUsed).to.be.lessThan(300_000)
    const lost = synthesize(
      rows((seed) => `unrelated ${(seed * seed * 7919) % 101}`),
      options,
    )
    expect(lost.workUsed).to.be.lessThan(1_500_000)
  })
})
