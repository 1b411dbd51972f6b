import { mkdir, writeFile } from 'node:fs/promises'

/** The q-quantile (0 to 1) of a sample, by the nearest-rank method; NaN for none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? Number.NaN
}

/** Prints rows as a table and keeps them as JSON under `.out/<name>.json`. */
export async function report(name: string, rows: readonly Readonly<Record<string, string | number>>[]): Promise<void> {
  console.table(rows)
  await mkdir('.out', { recursive: true })
  await writeFile(
    `.out/${name}.json`,
    `${JSON.stringify({ name, measured_at: new Date().toISOString(), rows }, undefined, 2)}\n`,
  )
}

/** A number with at most two decimals. */
export function short(value: number): number {
  return Math.round(value * 100) / 100
}
