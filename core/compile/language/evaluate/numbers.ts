import type { NumberExpr } from '../ast.ts'
import { addDecimal, calculate } from '../primitives/numbers/arithmetic.ts'
import { formatNumberText, parseNumberText } from '../primitives/numbers/number-text.ts'
import {
  numberWordsText,
  ordinalText,
  parseRadixText,
  parseRomanText,
  radixText,
  romanText,
} from '../primitives/numbers/number-words.ts'
import { roundDecimals, roundToStep } from '../primitives/numbers/rounding.ts'
import { type Compiler, listOf, numberOf, textOf } from './compiler.ts'
import { failure, found, made, scan, spend, type Step } from './frame.ts'

/** Returns a step that writes a number as a text; an unwritable number is out of range. */
function writeNumber(value: Step<number>, op: string, write: (value: number) => string | undefined): Step {
  const outOfRange = failure('out_of_range', op)
  return (frame) => made(frame, found(write(value(frame)), outOfRange))
}

/** Returns a step that reads a number from a text; an unreadable text is no match. */
function readNumber(text: Step<string>, op: string, read: (text: string) => number | undefined): Step {
  const noMatch = failure('no_match', op)
  return (frame) => {
    const value = text(frame)
    scan(frame, value.length)
    return found(read(value), noMatch)
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => addDecimal(sum, number), 0)
}

type ListOp = 'sum' | 'average' | 'smallest' | 'largest'

function reduceNumbers(op: ListOp, numbers: readonly number[]): number | undefined {
  switch (op) {
    case 'sum':
      return sumOf(numbers)
    case 'average':
      return calculate('div', sumOf(numbers), numbers.length)
    case 'smallest':
      return numbers.reduce((least, number) => Math.min(least, number), numbers[0] ?? 0)
    case 'largest':
      return numbers.reduce((most, number) => Math.max(most, number), numbers[0] ?? 0)
  }
}

function compileOverList(compiler: Compiler, node: NumberExpr & { op: ListOp }): Step {
  const { op } = node
  const list = listOf(compiler, node.list, op)
  const mismatch = failure('type_mismatch', op)
  const empty = failure(op === 'average' ? 'out_of_range' : 'missing', op)
  const outOfRange = failure('out_of_range', op)
  return (frame) => {
    const items = list(frame)
    spend(frame, items.length)
    if (!items.every((item) => typeof item === 'number')) throw mismatch
    if (items.length === 0 && op !== 'sum') throw empty
    const result = reduceNumbers(op, items)
    if (result === undefined || !Number.isFinite(result)) throw outOfRange
    return result === 0 ? 0 : result
  }
}

/** Compiles an operator on numbers. */
export function compileNumber(compiler: Compiler, node: NumberExpr): Step {
  switch (node.op) {
    case 'parseNumber': {
      const reading = {
        decimal: node.decimal ?? '.',
        group: node.group ?? '',
        currency: node.currency ?? false,
        percent: node.percent ?? false,
        parentheses: node.parentheses ?? false,
      }
      return readNumber(textOf(compiler, node.text, node.op), node.op, (text) => parseNumberText(text, reading))
    }
    case 'formatNumber': {
      const writing = {
        minDecimals: node.minDecimals ?? 0,
        maxDecimals: node.maxDecimals,
        mode: node.mode ?? 'halfUp',
        decimal: node.decimal ?? '.',
        group: node.group ?? '',
        minDigits: node.minDigits ?? 1,
        sign: node.sign ?? 'negative',
      } as const
      return writeNumber(numberOf(compiler, node.value, node.op), node.op, (value) => formatNumberText(value, writing))
    }
    case 'add':
    case 'sub':
    case 'mul':
    case 'div':
    case 'mod':
    case 'pow':
    case 'min':
    case 'max': {
      const { op } = node
      const left = numberOf(compiler, node.left, op)
      const right = numberOf(compiler, node.right, op)
      const outOfRange = failure('out_of_range', op)
      return (frame) => found(calculate(op, left(frame), right(frame)), outOfRange)
    }
    case 'neg':
    case 'abs':
    case 'sign': {
      const value = numberOf(compiler, node.value, node.op)
      if (node.op === 'neg') return (frame) => 0 - value(frame)
      return node.op === 'abs' ? (frame) => Math.abs(value(frame)) : (frame) => Math.sign(value(frame)) + 0
    }
    case 'round': {
      const value = numberOf(compiler, node.value, node.op)
      const decimals = node.decimals ?? 0
      const mode = node.mode ?? 'halfUp'
      const outOfRange = failure('out_of_range', node.op)
      return (frame) => {
        const rounded = roundDecimals(value(frame), decimals, mode)
        if (!Number.isFinite(rounded)) throw outOfRange
        return rounded
      }
    }
    case 'roundStep': {
      const value = numberOf(compiler, node.value, node.op)
      const step = numberOf(compiler, node.step, node.op)
      const mode = node.mode ?? 'halfUp'
      const outOfRange = failure('out_of_range', node.op)
      return (frame) => found(roundToStep(value(frame), step(frame), mode), outOfRange)
    }
    case 'sum':
    case 'average':
    case 'smallest':
    case 'largest':
      return compileOverList(compiler, node)
    case 'ordinal':
      return writeNumber(numberOf(compiler, node.value, node.op), node.op, ordinalText)
    case 'roman':
      return writeNumber(numberOf(compiler, node.value, node.op), node.op, romanText)
    case 'numberWords':
      return writeNumber(numberOf(compiler, node.value, node.op), node.op, numberWordsText)
    case 'formatRadix': {
      const { radix } = node
      return writeNumber(numberOf(compiler, node.value, node.op), node.op, (value) => radixText(value, radix))
    }
    case 'parseRoman':
      return readNumber(textOf(compiler, node.text, node.op), node.op, parseRomanText)
    case 'parseRadix': {
      const { radix } = node
      return readNumber(textOf(compiler, node.text, node.op), node.op, (text) => parseRadixText(text, radix))
    }
  }
}
