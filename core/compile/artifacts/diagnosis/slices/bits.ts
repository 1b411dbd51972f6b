/** A set of rows, by their places. */
export type Bits = Uint32Array

/** Returns an empty set over so many rows. */
export function noBits(rows: number): Bits {
  return new Uint32Array((rows + 31) >>> 5)
}

/** Returns the set of these places. */
export function bitsOf(rows: number, places: Iterable<number>): Bits {
  const bits = noBits(rows)
  for (const place of places) bits[place >>> 5] = (bits[place >>> 5] ?? 0) | (1 << (place & 31))
  return bits
}

/** Returns whether a place is in a set. */
export function hasBit(bits: Bits, place: number): boolean {
  return (((bits[place >>> 5] ?? 0) >>> (place & 31)) & 1) === 1
}

/** Returns the places of a set, in ascending order. */
export function placesOf(bits: Bits, rows: number): readonly number[] {
  return Array.from({ length: rows }, (_, place) => place).filter((place) => hasBit(bits, place))
}

/** Returns the rows of both sets. */
export function both(one: Bits, other: Bits): Bits {
  return one.map((word, i) => word & (other[i] ?? 0))
}

/** Returns the rows of either set. */
export function either(one: Bits, other: Bits): Bits {
  return one.map((word, i) => word | (other[i] ?? 0))
}

/** Returns the rows of the first set that are not in the second. */
export function without(one: Bits, other: Bits): Bits {
  return one.map((word, i) => word & ~(other[i] ?? 0))
}

/** Returns the number of rows in a set. */
export function countBits(bits: Bits): number {
  let count = 0
  for (let i = 0; i < bits.length; i++) count += ones(bits[i] ?? 0)
  return count
}

/** Returns the number of rows in both sets, without making that set. */
export function countBoth(one: Bits, other: Bits): number {
  let count = 0
  for (let i = 0; i < one.length; i++) count += ones((one[i] ?? 0) & (other[i] ?? 0))
  return count
}

/** Returns the number of rows in all three sets. */
export function countAll(one: Bits, two: Bits, three: Bits): number {
  let count = 0
  for (let i = 0; i < one.length; i++) count += ones((one[i] ?? 0) & (two[i] ?? 0) & (three[i] ?? 0))
  return count
}

function ones(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}
