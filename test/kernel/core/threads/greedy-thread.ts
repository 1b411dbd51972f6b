/** The entry of a thread that keeps so many lists of a thousand numbers, and says how many there are. */
export function keep(count: number): number {
  return Array.from({ length: count }, (_, n) => Array.from({ length: 1000 }, (_, m) => n + m / 2)).length
}
