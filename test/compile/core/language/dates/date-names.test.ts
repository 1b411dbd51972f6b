import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { DATE_NAMES } from '../../../../../core/compile/language/primitives/dates/reading/date-names.ts'
import { foldDateText } from '../../../../../core/compile/language/primitives/dates/reading/fold.ts'

interface Names {
  readonly months: readonly (readonly string[])[]
  readonly weekdays: readonly (readonly string[])[]
  readonly am: readonly string[]
  readonly pm: readonly string[]
  readonly words: readonly string[]
}

const docs = new URL('../../../../../docs/formats/', import.meta.url)
const json = readFileSync(new URL('date-names.json', docs))
const published: { source: string; locales: Record<string, Names> } = JSON.parse(json.toString('utf8'))

describe('docs/formats/date-names.json', () => {
  it('has the digest that the language page names', () => {
    const digest = createHash('sha256').update(json).digest('hex')
    expect(readFileSync(new URL('recipe-language.md', docs), 'utf8')).to.include(digest)
  })

  it('is the table of the interpreter', () => {
    const lists = (entries: string): string[][] =>
      entries.split('|').map((names) => names.split(',').filter((name) => name !== ''))
    const table = Object.fromEntries(
      Object.entries(DATE_NAMES).map(([locale, { months, weekdays, am, pm, words }]) => [
        locale,
        {
          months: lists(months),
          weekdays: lists(weekdays),
          am: lists(am)[0],
          pm: lists(pm)[0],
          words: lists(words)[0],
        },
      ]),
    )
    expect(table).to.deep.equal(published.locales)
  })

  it('holds 30 locales with folded names, each of one month or one weekday', () => {
    expect(Object.keys(published.locales)).to.have.length(30)
    for (const [locale, { months, weekdays, am, pm, words }] of Object.entries(published.locales)) {
      expect([months.length, weekdays.length], locale).to.deep.equal([12, 7])
      for (const lists of [months, weekdays]) {
        const names = lists.flat()
        expect(new Set(names).size, locale).to.equal(names.length)
      }
      for (const name of [...months.flat(), ...weekdays.flat(), ...am, ...pm, ...words])
        expect(foldDateText(name), locale).to.equal(name)
    }
  })
})
