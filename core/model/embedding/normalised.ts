/** Returns a vector of length 1; one of zeros stays. */
export function normalised(vector: Float32Array): Float32Array {
  let sum = 0
  for (const number of vector) sum += number * number
  const length = Math.sqrt(sum)
  return length === 0 ? vector : vector.map((number) => number / length)
}
