import { expect } from 'chai'
import { compileProgram } from '../../../../../core/compile/language/evaluate/evaluate.ts'
import { synthesize } from '../../../../../core/compile/synthesis/synthesize.ts'
import { rowsOf } from '../../rows/given-rows.ts'

const ADDRESSES = [
  'Elm Road 5c, 90210 Los Gatos',
  'High Street 142b, 48259 York (North)',
  'Mill Lane 34, 41368 Saint Helens',
  'Oak 51, 60629 Leeds on the Hill',
  'Long Mile Walk 24, 80721 Derby',
  'Elm Road 3a, 15345 Derby',
  'Rue du Bac 42b, 16109 Bad Aibling',
  'Oak 2a, 98461 Ely',
  'Mill Lane 119a, 38444 Truro',
  'High Street 12b, 18543 Leeds on the Hill',
  'Long Mile Walk 77a, 98249 Truro',
  'Rue du Bac 126a, 65589 Ely',
]

describe('a program for objects', () => {
  it('is found when one member needs more than an equal share of the budget, whatever the order of the members', () => {
    const partsOf = (address: string, names: readonly string[]) => {
      const [, street, number, zip, city] = /^(.*) (\S+), (\d+) (.*)$/.exec(address) ?? []
      const parts: Readonly<Record<string, string>> = {
        street: street ?? '',
        number: number ?? '',
        zip: zip ?? '',
        city: city ?? '',
      }
      return Object.fromEntries(names.map((name) => [name, parts[name] ?? '']))
    }
    for (const workBudget of [800_000, 1_500_000]) {
      for (const names of [
        ['city', 'number', 'street', 'zip'],
        ['street', 'number', 'zip', 'city'],
        ['zip', 'street', 'city', 'number'],
      ]) {
        const rows = rowsOf(ADDRESSES.map((address) => [address, partsOf(address, names)] as const))
        const [best] = synthesize(rows, { k: 3, workBudget }).candidates
        const answer = best === undefined ? null : compileProgram(best.program).attempt('Hill Top 9d, 12345 New Romney')
        expect(answer, names.join()).to.deep.equal(partsOf('Hill Top 9d, 12345 New Romney', names))
      }
    }
  })
})
