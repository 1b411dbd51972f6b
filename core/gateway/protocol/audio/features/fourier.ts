/** A Fourier transform of one length. */
interface Fourier {
  /** Transforms `re` and `im` in place. */
  transform(re: Float64Array, im: Float64Array): void
}

/** Plans a transform of a length whose prime factors are small (Cooley & Tukey, 1965, mixed radix). */
export function planFourier(length: number): Fourier {
  const factors = factorsOf(length)
  const order = orderOf(length, factors)
  const cos = Float64Array.from({ length }, (_, k) => Math.cos((2 * Math.PI * k) / length))
  const sin = Float64Array.from({ length }, (_, k) => -Math.sin((2 * Math.PI * k) / length))
  const [workRe, workIm] = [new Float64Array(length), new Float64Array(length)]
  const most = Math.max(...factors)
  const [partRe, partIm] = [new Float64Array(most), new Float64Array(most)]

  /** Joins `radix` transforms of `part` values each into one, `part` values apart from `to + k` on. */
  const butterfly = (radix: number, part: number, to: number, k: number): void => {
    const stride = length / (radix * part)
    for (let r = 0; r < radix; r++) {
      const c = cos[r * k * stride] ?? 0
      const s = sin[r * k * stride] ?? 0
      const re = workRe[to + r * part + k] ?? 0
      const im = workIm[to + r * part + k] ?? 0
      partRe[r] = re * c - im * s
      partIm[r] = re * s + im * c
    }
    const turn = length / radix
    for (let q = 0; q < radix; q++) {
      let sumRe = 0
      let sumIm = 0
      for (let r = 0; r < radix; r++) {
        const c = cos[((q * r) % radix) * turn] ?? 0
        const s = sin[((q * r) % radix) * turn] ?? 0
        const re = partRe[r] ?? 0
        const im = partIm[r] ?? 0
        sumRe += re * c - im * s
        sumIm += re * s + im * c
      }
      workRe[to + q * part + k] = sumRe
      workIm[to + q * part + k] = sumIm
    }
  }
  return {
    transform(re, im) {
      for (let i = 0; i < length; i++) {
        workRe[i] = re[order[i] ?? 0] ?? 0
        workIm[i] = im[order[i] ?? 0] ?? 0
      }
      let part = 1
      for (const radix of factors.toReversed()) {
        for (let to = 0; to < length; to += radix * part) {
          for (let k = 0; k < part; k++) butterfly(radix, part, to, k)
        }
        part *= radix
      }
      re.set(workRe)
      im.set(workIm)
    },
  }
}

/** Fours first: they take fewer passes than twos. */
function factorsOf(length: number): readonly number[] {
  const factors: number[] = []
  let left = length
  for (const factor of [4, ...Array.from({ length: length - 1 }, (_, i) => i + 2)]) {
    while (left % factor === 0) {
      factors.push(factor)
      left /= factor
    }
  }
  return factors
}

/** The order in which values are taken: at each level, values at a distance of `radix` come together. */
function orderOf(length: number, factors: readonly number[]): Int32Array {
  let order = [0]
  let stride = 1
  for (const radix of factors) {
    const ways = Array.from({ length: radix }, (_, r) => r * stride)
    // Of each level the first digit leads.
    order = order.flatMap((from) => ways.map((way) => from + way))
    stride *= radix
  }
  return Int32Array.from(order.slice(0, length))
}
