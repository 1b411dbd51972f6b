import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

const SEARCH = 'core/compile/synthesis'
/** The part of the language that reads and writes conditions and branches for the search. */
const EXPRESSIONS = 'core/compile/language/expressions'
const NAMED = /\bop: '[A-Za-z]+'|\.op [!=]== '[A-Za-z]+'/g

/**
 * Places of the search that name an operator, by folder. A new operator brings what the search needs in its own entry, so
 * these figures only fall: lower the figure of a folder when a name leaves it.
 */
const NAMES: Readonly<Record<string, number>> = {
  // Some of them read numbers that the search made, for limits at units and at boundaries that people use.
  conditions: 63,
  dates: 35,
  expressions: 26,
  extraction: 22,
  lists: 43,
  numbers: 62,
  rules: 14,
  search: 25,
  solve: 5,
  text: 57,
}

describe('the search', () => {
  it('names operators in no more places than it did', () => {
    const counts: Record<string, number> = {}
    for (const root of [SEARCH, EXPRESSIONS]) {
      for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
        if (!file.endsWith('.ts')) continue
        const found = readFileSync(`${root}/${file}`, 'utf8').match(NAMED)?.length ?? 0
        const folder = root === EXPRESSIONS ? 'expressions' : (file.split('/')[0] ?? file)
        if (found > 0) counts[folder] = (counts[folder] ?? 0) + found
      }
    }
    expect(counts).to.deep.equal(NAMES)
  })
})
