/**
 * Returns the probability that at least one of `k` samples is right, from `right` right ones of `samples`: 1 - C(n-c, k) / C(n, k), without
 * bias (Chen et al., arXiv:2107.03374). `k` is at most `samples`.
 */
export function passAtK(samples: number, right: number, k: number): number {
  return 1 - shareOfDraws(samples, samples - right, k)
}

/** Returns the probability that all of `k` samples are right: C(c, k) / C(n, k) (Yao et al., arXiv:2406.12045). */
export function passHatK(samples: number, right: number, k: number): number {
  return shareOfDraws(samples, right, k)
}

/** C(some, k) / C(all, k) as a product, which leaves the range of doubles nowhere. */
function shareOfDraws(all: number, some: number, k: number): number {
  let share = 1
  for (let i = 0; i < k; i++) share *= Math.max(0, some - i) / (all - i)
  return share
}
