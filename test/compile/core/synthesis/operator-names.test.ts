import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

const SEARCH = 'core/compile/synthesis'
const NAMED = /\bop: '[A-Za-z]+'|\.op [!=]== '[A-Za-z]+'/g

/**
 * Places of the search that name an operator, by folder. A new operator brings what the search needs in its own entry, so
 * these figures only fall: lower the figure of a folder when a name leaves it.
 */
const NAMES: Readonly<Record<string, number>> = {
  // 7 of them read conditions and branches that the search made, to move limits to units.
  conditions: 63,
  dates: 37,
  extraction: 22,
  lists: 47,
  numbers: 62,
  rules: 11,
  search: 22,
  solve: 7,
  text: 58,
}

describe('the search', () => {
  it('names operators in no more places than it did', () => {
    const counts: Record<string, number> = {}
    for (const file of readdirSync(SEARCH, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue
      const found = readFileSync(`${SEARCH}/${file}`, 'utf8').match(NAMED)?.length ?? 0
      const folder = file.split('/')[0] ?? file
      if (found > 0) counts[folder] = (counts[folder] ?? 0) + found
    }
    expect(counts).to.deep.equal(NAMES)
  })
})
