import { isSameNumber } from '../../rows/equality/same-output.ts'
import { Cost, costOf } from '../ranking/cost.ts'

/** Returns the cost of a constant by the digits that a person would write: 10 and 0.5 are cheap, 3.1416 is not. */
export function numberCost(value: number): Cost {
  if (!Number.isFinite(value)) return Cost.INFINITE
  const magnitude = Math.abs(value)
  if (magnitude === 0 || magnitude === 1) return costOf('number.zeroOrOne')
  const [mantissa = '', exponent = '0'] = magnitude.toExponential().split('e')
  const digits = mantissa.replace('.', '').length
  return costOf('number')
    .with('number.digit', digits)
    .with('number.exponent', Math.abs(Number(exponent)))
}

/** A constant within rounding noise of the value that has few digits; undefined when there is none. */
export function tidyConstant(value: number, maxDigits = 7): number | undefined {
  if (!Number.isFinite(value) || Math.abs(value) > 1e12) return undefined
  const tidy = Number(value.toPrecision(maxDigits))
  return isSameNumber(tidy, value) ? tidy : undefined
}

/** Units of time and of data, and the powers of ten: factors that are meant when they fit. */
const WELL_KNOWN = [
  10, 100, 1000, 60, 24, 12, 7, 3600, 1024, 365, 30, 0.1, 0.01, 0.001, 2, 0.5, 1_000_000, 86_400, 1440, 1_048_576,
  1_073_741_824,
] as const

/** Factors between units of measure and of circles, in the length in which people write them. */
const CONVERSIONS = [
  3.141592653589793, 3.14159, 3.1416, 2.54, 0.4536, 0.453592, 1.609, 1.60934, 1.609344, 2.205, 2.20462, 0.6214,
  0.621371, 0.3048, 3.281, 3.28084, 0.9144, 28.35, 28.3495, 3.785, 3.78541, 4.546, 0.5556, 39.37, 25.4, 30.48, 1.852,
  3.6, 1.8, 4.184, 6.35, 14.5038, 29.5735,
] as const

/** Returns true when the constant is a common conversion factor. */
export function isWellKnown(value: number): boolean {
  return WELL_KNOWN.some((constant) => constant === value) || isConversion(value)
}

/** Returns true for a factor between units of measure. */
export function isConversion(value: number): boolean {
  return CONVERSIONS.some((constant) => constant === value)
}

/**
 * Returns true for constants that people choose: conversion factors, whole numbers up to twelve, at most two digits
 * before the zeros.
 */
export function isNatural(value: number): boolean {
  const magnitude = Math.abs(value)
  return isWellKnown(magnitude) || (Number.isInteger(magnitude) && magnitude <= 12) || digitsOf(magnitude) <= 2
}

/** Significant digits of a number. */
export function digitsOf(value: number): number {
  return (Math.abs(value).toExponential().split('e')[0] ?? '').replace(/\D/g, '').length
}

/** Sizes that people count and charge by, beside the well-known ones. */
const LOT_SIZES = [5, 15, 20, 25, 30, 50, 200, 250, 500] as const

/** Returns the cost of a divisor that was fitted between bounds. */
export function fittedDivisorCost(value: number): Cost {
  return LOT_SIZES.some((size) => size === value) ? costOf('number.lotSize') : fittedCost(value)
}

/** Returns the cost of a constant that was fitted between bounds: every digit of it was free to choose. */
export function fittedCost(value: number): Cost {
  if (isConversion(value)) return costOf('number.conversion')
  if (isWellKnown(value)) return costOf('number.wellKnown')
  return costOf('number.fitted')
    .plus(numberCost(value).share('number.fitted'))
    .with('number.fitted.digit', Math.max(0, digitsOf(value) - 3))
}

function roundedBetween(low: number, high: number, digits: number): number | undefined {
  const middle = (low + high) / 2
  if (middle === 0) return 0
  const scale = 10 ** (Math.floor(Math.log10(Math.abs(middle))) - digits + 1)
  const steps = [Math.round(middle / scale), Math.ceil(low / scale), Math.floor(high / scale)]
  for (const step of steps) {
    const candidate = Number((step * scale).toPrecision(12))
    if (candidate >= low && candidate <= high) return candidate
  }
  return undefined
}

/**
 * The constant that people would choose in the interval from `low` to `high`: a well-known unit, up to two digits, a
 * factor between units with as many digits as fit, and else the fewest digits; undefined for an empty interval.
 */
export function simplestBetween(low: number, high: number): number | undefined {
  if (!(low <= high)) return undefined
  const isInside = (constant: number) => constant >= low && constant <= high
  const known = WELL_KNOWN.find(isInside)
  if (known !== undefined) return known
  const plain = roundedBetween(low, high, 1) ?? LOT_SIZES.find(isInside) ?? roundedBetween(low, high, 2)
  if (plain !== undefined) return plain
  const factor = CONVERSIONS.filter(isInside).toSorted((a, b) => digitsOf(b) - digitsOf(a))[0]
  if (factor !== undefined) return factor
  for (let digits = 3; digits <= 7; digits++) {
    const found = roundedBetween(low, high, digits)
    if (found !== undefined) return found
  }
  return undefined
}

/** Most decimals among the numbers, at most 10. */
export function decimalsOf(values: readonly number[]): number {
  let most = 0
  for (const value of values) {
    const text = String(value)
    const point = text.indexOf('.')
    if (point >= 0 && !text.includes('e')) most = Math.max(most, text.length - point - 1)
  }
  return Math.min(most, 10)
}

/** Returns the largest number that divides all; 0 where all are 0, undefined where one is too large to be exact. */
export function commonDivisor(numbers: readonly number[]): number | undefined {
  if (!numbers.every(Number.isSafeInteger)) return undefined
  return numbers.reduce((found, number) => {
    let [a, b] = [found, Math.abs(number)]
    while (b !== 0) [a, b] = [b, a % b]
    return a
  }, 0)
}
