import { expect } from 'chai'
import { regionsBetween } from '../../../../../core/compile/language/primitives/text/regions.ts'
import {
  commonContexts,
  leftLandmarks,
  rightLandmarks,
} from '../../../../../core/compile/synthesis/extraction/contexts.ts'
import { nextLabels, sharedLabels } from '../../../../../core/compile/synthesis/extraction/labels.ts'
import { occurrencesOf, spansOf } from '../../../../../core/compile/synthesis/extraction/occurrences.ts'
import { learnRegion, regionOf } from '../../../../../core/compile/synthesis/extraction/region.ts'
import { Budget } from '../../../../../core/compile/synthesis/search/budget.ts'
import { processorMs } from '../../../../support/stack/processor-ms.ts'

const budget = () => new Budget(1_000_000)

/** The region that is learned from texts with their parts, in another text. */
function learned(
  shown: readonly (readonly [text: string, part: string | undefined])[],
  text: string,
): string | undefined {
  const [best] = learnRegion(
    shown.map(([one, value]) => ({ text: one, value })),
    budget(),
  )
  return best === undefined ? undefined : regionOf(text, best)
}

describe('extraction: occurrences', () => {
  it('finds every place of several parts in one pass, those that overlap too', () => {
    const found = occurrencesOf('abababa xy', ['aba', 'xy', 'y', 'zz', ''], 100)
    expect(Object.fromEntries(found)).to.deep.equal({ aba: [0, 2, 4], xy: [8], y: [9], zz: [] })
    expect(spansOf('abababa', 'aba', 2)).to.deep.equal([
      { start: 0, end: 3 },
      { start: 2, end: 5 },
    ])
  })

  it('finds the places that a search for each part finds', () => {
    const text = Array.from({ length: 4000 }, (_, i) => `k${(i * i * 7919) % 97}`).join(' ')
    const parts = Array.from({ length: 97 }, (_, i) => `k${i}`)
    const found = occurrencesOf(text, parts, 10_000)
    for (const part of parts)
      expect(found.get(part), part).to.deep.equal(spansOf(text, part, 10_000).map(({ start }) => start))
  })

  it('keeps to its limit', () => {
    expect(occurrencesOf('aaaa', ['a'], 2).get('a')).to.deep.equal([0, 1])
  })
})

describe('extraction: landmarks', () => {
  it('compares the places that are most alike', () => {
    const texts = ['7 boxes\nTotal: 7 EUR\n', 'Total: 9 EUR\n9 boxes, 9 lids'].map((text, i) => ({
      text,
      spans: spansOf(text, i === 0 ? '7' : '9', 10),
    }))
    expect(commonContexts(texts)[0]).to.include({ left: '\nTotal: ', right: ' EUR\n' })
  })

  it('prefers the start of the line before a part, and ends at tags and line breaks', () => {
    expect(leftLandmarks('r 12\nOrder number: ')[0]).to.equal('\nOrder number: ')
    expect(rightLandmarks('</b> said <i>')[0]).to.equal('</b>')
    expect(rightLandmarks('\n\nNext')[0]).to.equal('\n\n')
    expect(rightLandmarks(' EUR\nNext').every((text) => !text.includes('Next'))).to.equal(true)
  })

  it('finds regions in time linear in the text, whatever landmarks repeat', () => {
    const text = 'ab'.repeat(200_000)
    const usedMs = processorMs(() => {
      expect(regionsBetween(text, { after: ['a'], before: ['b', 'never'] })).to.have.length(400_000)
      expect(regionsBetween(text, { after: ['a', 'never'], before: ['b'] })).to.have.length(0)
    })
    expect(usedMs).to.be.lessThan(2000)
  })

  it('reads a text as if it stood between line breaks', () => {
    const lines = { after: ['\n'], before: ['\n'] }
    for (const text of ['', 'a', 'a\nb', '\n', 'a\n\nb\n']) {
      const regions = regionsBetween(text, lines)
      const found = Array.from({ length: regions.length / 2 }, (_, i) => text.slice(regions[i * 2], regions[i * 2 + 1]))
      expect(found, JSON.stringify(text)).to.deep.equal(text.split('\n'))
    }
  })
})

describe('extraction: a region of a text', () => {
  it('leads to a line through the heading above it', () => {
    const file = (web: number, db: number) => `[web]\nhost = a\nport = ${web}\n\n[db]\nhost = b${db}\nport = ${db}\n`
    expect(
      learned(
        [
          [file(80, 5432), '5432'],
          [file(8080, 3306), '3306'],
        ],
        file(1, 2),
      ),
    ).to.equal('2')
  })

  it('ends a labelled value at the next label, also one that the text of the value does not have', () => {
    const rows = [
      ['Name: a\nSteps:\n1. x\n2. y\nOwner: z\nLevel: 3', '1. x\n2. y'],
      ['Name: b\nSteps:\n1. q\nLevel: 1', '1. q'],
      ['Name: c\nOwner: k\nSteps:\n1. u\n2. v\n3. w\nLevel: 2', '1. u\n2. v\n3. w'],
    ] as const
    expect(learned(rows, 'Name: d\nSteps:\n1. m\n2. n\nLevel: 9')).to.equal('1. m\n2. n')
    expect(learned(rows, 'Name: d\nSteps:\n1. m\nOwner: p\nLevel: 9')).to.equal('1. m')
  })

  it('finds nothing where texts without the value show that there is nothing', () => {
    const rows = [
      ['A: 1\nVAT: 77\nB: 2', '77'],
      ['A: 3\nB: 4', undefined],
      ['A: 5\nVAT: 88\nB: 6', '88'],
    ] as const
    expect(learned(rows, 'A: 7\nB: 8')).to.equal(undefined)
    expect(learned(rows, 'A: 7\nVAT: 99\nB: 8')).to.equal('99')
  })

  it('counts from the end where the last one is meant', () => {
    const rows = [
      ['x <b>1</b>, <b>2</b>', '2'],
      ['<b>1</b> or <b>5</b>; <b>3</b> x', '3'],
    ] as const
    expect(learned(rows, '<b>4</b> and <b>6</b> and <b>9</b>')).to.equal('9')
  })

  it('leaves out blanks that differ', () => {
    const rows = [
      ['Net     1.00\nTOTAL       12.50\n', '12.50'],
      ['Net     3.00\nTOTAL    1,003.70\n', '1,003.70'],
    ] as const
    expect(learned(rows, 'Net 1\nTOTAL 8.00\n')).to.equal('8.00')
  })

  it('gives up where a text does not hold its part', () => {
    expect(learned([['abc', 'x']], 'abc')).to.equal(undefined)
  })
})

describe('extraction: labels', () => {
  it('are those at the start of lines that two texts show', () => {
    expect(sharedLabels(['Name: a\nOn: b', 'x\nName: c\nOff = d', 'no Name: here'])).to.deep.equal(['\nName:'])
  })

  it('include the one behind a value', () => {
    expect(nextLabels([{ text: 'v\nLevel: 3', ends: [1] }])).to.deep.equal(['\nLevel:'])
  })
})
