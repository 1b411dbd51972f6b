import { expect } from 'chai'
import fc from 'fast-check'
import { ROUND_MODES } from '../../../../core/compile/language/names.ts'
import {
  addDecimal,
  divDecimal,
  modDecimal,
  mulDecimal,
} from '../../../../core/compile/language/primitives/numbers/arithmetic.ts'
import {
  alignDecimals,
  fromDecimal,
  plainDigits,
  toDecimal,
} from '../../../../core/compile/language/primitives/numbers/decimal.ts'
import { formatNumberText, parseNumberText } from '../../../../core/compile/language/primitives/numbers/number-text.ts'
import { roundDecimals } from '../../../../core/compile/language/primitives/numbers/rounding.ts'

const price = fc
  .tuple(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), fc.nat(6))
  .map(([unscaled, scale]) => Number(`${unscaled}e-${scale}`))
const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
const anyNumber = fc.oneof(price, finite, fc.maxSafeInteger())

describe('decimal arithmetic', () => {
  it('is exact on the shortest decimals, on the quick path as on the slow one', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (a, b) => {
        const [x, y] = [toDecimal(a), toDecimal(b)]
        const { left, right, scale } = alignDecimals(x, y)
        expect(addDecimal(a, b) + 0).to.equal(fromDecimal({ unscaled: left + right, scale }) + 0)
        const product = fromDecimal({ unscaled: x.unscaled * y.unscaled, scale: x.scale + y.scale })
        expect(mulDecimal(a, b) + 0).to.equal(product + 0)
        if (b === 0) return
        const remainder = modDecimal(a, b)
        if (remainder !== undefined) expect(remainder === 0 || remainder < 0 === b < 0).to.equal(true)
      }),
    )
  })

  it('divides as the nearest double of the exact quotient', () => {
    fc.assert(
      fc.property(
        price,
        price.filter((b) => b !== 0),
        (a, b) => {
          const { left, right } = alignDecimals(toDecimal(a), toDecimal(b))
          // Both are integers far below 2^53, so the double division rounds once.
          expect(divDecimal(a, b)).to.equal(Number(left) / Number(right))
        },
      ),
    )
  })

  it('rounds to the nearest multiple in the mode asked for', () => {
    fc.assert(
      fc.property(anyNumber, fc.integer({ min: -3, max: 6 }), fc.constantFrom(...ROUND_MODES), (x, decimals, mode) => {
        const rounded = roundDecimals(x, decimals, mode)
        fc.pre(Number.isFinite(rounded))
        expect(roundDecimals(rounded, decimals, mode)).to.equal(rounded)
        expect(roundDecimals(-x, decimals, 'halfEven') + 0).to.equal(0 - roundDecimals(x, decimals, 'halfEven'))
        if (mode === 'floor') expect(rounded).to.be.at.most(x)
        if (mode === 'ceil') expect(rounded).to.be.at.least(x)
        if (mode === 'truncate') expect(Math.abs(rounded)).to.be.at.most(Math.abs(x))
      }),
    )
  })

  it('reads back what it writes', () => {
    const reading = { decimal: ',', group: '.', currency: true, percent: false, parentheses: true }
    fc.assert(
      fc.property(anyNumber, (x) => {
        expect(Number(plainDigits(x)) + 0).to.equal(x + 0)
        const text = formatNumberText(x, {
          minDecimals: 2,
          maxDecimals: undefined,
          mode: 'halfUp',
          decimal: ',',
          group: '.',
          minDigits: 1,
          sign: 'parentheses',
        })
        expect(parseNumberText(text, reading)).to.equal(x + 0)
      }),
    )
  })
})
