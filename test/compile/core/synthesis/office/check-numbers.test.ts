import { expect } from 'chai'
import { answer } from '../first-answer.ts'

const LENGTH = 9
const ROWS = 20

/** Numbers of nine digits that look like no series. */
const NUMBERS = Array.from({ length: ROWS + 5 }, (_, at) =>
  String((at * 48_271_333 + 907_130_021) % 10 ** LENGTH).padStart(LENGTH, '0'),
)

/** The rest to the next multiple of eleven, where each digit has a weight by its place from the end, from 0. */
function missingTo11(text: string, weight: (fromEnd: number) => number): number {
  const sum = Array.from(text, Number).reduce((total, digit, at) => total + digit * weight(text.length - 1 - at), 0)
  return (11 - (sum % 11)) % 11
}

/** A number of an account with its check digits (ISO 13616), which a change makes wrong. */
function account(number: string, change = 0): string {
  const check = 98n - (BigInt(`${number}131400`) % 97n)
  return `DE${String((Number(check) + change) % 100).padStart(2, '0')}${number}`
}

describe('check numbers', () => {
  it('are the check digits of books, with another sign for ten', () => {
    const digit = (text: string) => {
      const missing = missingTo11(text, (fromEnd) => fromEnd + 2)
      return missing === 10 ? 'X' : String(missing)
    }
    const rows = NUMBERS.slice(0, ROWS).map((text) => [text, digit(text)] as const)
    expect(new Set(rows.map(([, shown]) => shown))).to.include('X')
    for (const text of NUMBERS.slice(ROWS)) expect(answer(rows, text)).to.equal(digit(text))
  })

  it('are the check digits of numbers whose digits count two to seven times', () => {
    const rows = NUMBERS.slice(0, ROWS).map(
      (text) => [text, missingTo11(text, (fromEnd) => (fromEnd % 6) + 2)] as const,
    )
    for (const text of NUMBERS.slice(ROWS)) {
      expect(answer(rows, text)).to.equal(missingTo11(text, (fromEnd) => (fromEnd % 6) + 2))
    }
  })

  it('tell valid numbers of accounts, in capitals and without spaces, from others', () => {
    const numbers = NUMBERS.map((text, at) => `${text}${NUMBERS[NUMBERS.length - 1 - at] ?? ''}`)
    const rows = numbers.slice(0, ROWS).map((text, at) => [account(text, at % 2), at % 2 === 0] as const)
    for (const text of numbers.slice(ROWS)) {
      expect(answer(rows, account(text))).to.equal(true)
      expect(answer(rows, account(text, 3))).to.equal(false)
    }
  })

  it('are even or odd sums of digits', () => {
    const texts = NUMBERS.map((text, at) => text.slice(0, 3 + (at % 4)))
    const parity = (text: string) => (Array.from(text, Number).reduce((a, b) => a + b, 0) % 2 === 0 ? 'even' : 'odd')
    const rows = texts.slice(0, ROWS).map((text) => [text, parity(text)] as const)
    for (const text of texts.slice(ROWS)) expect(answer(rows, text)).to.equal(parity(text))
  })

  it('are no sums of the digits of postal codes that are large by chance', () => {
    const rows = [
      [{ code: '66076', orders: 31, tier: 'silver' }, true],
      [{ code: '70770', orders: 13, tier: 'gold' }, true],
      [{ code: '21541', orders: 4, tier: 'silver' }, false],
      [{ code: '67287', orders: 18, tier: 'silver' }, false],
      [{ code: '59926', orders: 1, tier: 'silver' }, false],
      [{ code: '47719', orders: 35, tier: 'none' }, true],
    ] as const
    expect(answer(rows, { code: '21541', orders: 38, tier: 'none' })).to.equal(true)
    expect(answer(rows, { code: '66076', orders: 5, tier: 'none' })).to.equal(false)
  })
})
