import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { z } from 'zod'
import { readBaseConfig } from '../../../core/model/files/inspect-base.ts'
import { quantile, short } from '../../harness/report.ts'
import { startLineProcess, type LineProcess } from './line-process.ts'
import type { ShapeName } from './bases.ts'
import { BATCH_ROWS, equalWork, LENGTH, unevenRows, usefulTokens, type Workload } from './workloads.ts'

const THREADS = 2
const HERE = fileURLToPath(new URL('.', import.meta.url))

const Turn = z.object({ seconds: z.number(), tokens: z.int(), loss: z.number() })
const Peak = z.object({ peakMb: z.number() })

/** Amount of measurements of a shape. */
export interface Extent {
  /** Passes, after one that warms up. */
  readonly rounds: number
  /** Full batches in a pass. */
  readonly batches: number
}

/** Rounds and batches that an idle machine with two cores does in a few minutes for each shape. */
export const EXTENTS: Readonly<Record<ShapeName, Extent>> = {
  nano: { rounds: 7, batches: 12 },
  smol135: { rounds: 3, batches: 3 },
}

/** One line of the table. */
export interface SpeedRow extends Readonly<Record<string, string | number>> {}

/**
 * Training speed and memory against PEFT on one shape: the two take turns over the same rows in one invocation, so that
 * what else the machine does meets both. The ratio is the median over neighbouring pairs.
 */
export async function measureSpeed(
  python: string,
  folder: string,
  shape: ShapeName,
  extent: Extent,
): Promise<SpeedRow[]> {
  const { vocabSize } = await readBaseConfig(folder)
  const { batches } = extent
  const found: SpeedRow[] = []
  for (const workload of [equalWork(batches, vocabSize), unevenRows(batches, vocabSize)]) {
    found.push(...(await measureWorkload(python, folder, shape, workload, extent.rounds)))
  }
  return found
}

async function measureWorkload(
  python: string,
  folder: string,
  shape: ShapeName,
  workload: Workload,
  rounds: number,
): Promise<SpeedRow[]> {
  const rows = join(folder, 'rows.json')
  await writeFile(rows, JSON.stringify(workload.rows))
  const embedded = (variant: string): LineProcess =>
    startLineProcess(process.execPath, [
      join(HERE, 'embedded-steps.ts'),
      folder,
      rows,
      String(BATCH_ROWS * LENGTH),
      String(THREADS),
      variant,
    ])
  const peft = startLineProcess(
    python,
    ['-W', 'ignore', join(HERE, 'python', 'steps.py'), folder, rows, String(BATCH_ROWS), String(THREADS)],
    { env: { OMP_NUM_THREADS: String(THREADS) } },
  )
  const whole = embedded('whole')
  const layers = shape === 'smol135' ? embedded('layers') : undefined
  const sides = [peft, whole, ...(layers === undefined ? [] : [layers])]
  const names = ['PEFT', 'embedded', 'embedded, layer by layer']
  const seconds: number[][] = sides.map(() => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, side] of sides.entries()) {
      const turn = Turn.parse(await side.ask('turn'))
      console.error(`${shape}, ${workload.name}, pass ${round}, ${names[index] ?? ''}: ${short(turn.seconds)} s`)
      // The first pass builds graphs and fills caches.
      if (round > 0) seconds[index]?.push(turn.seconds)
    }
  }
  const peaks: number[] = []
  for (const side of sides) {
    peaks.push(Peak.parse(await side.ask('end')).peakMb)
    await side.end()
  }
  return sides.map((_, index) => speedRow(shape, workload, names[index] ?? '', seconds, peaks, index))
}

function speedRow(
  shape: ShapeName,
  workload: Workload,
  trainer: string,
  seconds: readonly (readonly number[])[],
  peaks: readonly number[],
  index: number,
): SpeedRow {
  const own = seconds[index] ?? []
  const theirs = seconds[0] ?? []
  const tokens = usefulTokens(workload)
  const ratios = own.map((value, round) => (theirs[round] ?? Number.NaN) / value)
  return {
    shape,
    work: workload.name,
    trainer,
    'tokens/s': Math.round(tokens / quantile(own, 0.5)),
    'best tokens/s': Math.round(tokens / Math.min(...own)),
    'times PEFT (median pair)': short(quantile(ratios, 0.5)),
    'lowest pair': short(Math.min(...ratios)),
    'highest pair': short(Math.max(...ratios)),
    'peak MB': Math.round(peaks[index] ?? Number.NaN),
    'memory / PEFT': short((peaks[index] ?? Number.NaN) / (peaks[0] ?? Number.NaN)),
  }
}
