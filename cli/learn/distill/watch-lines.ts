import type { z } from 'zod'
import type { RunDetail } from '../../../core/learn/wire/distill/runs.ts'

type Run = Pick<z.output<typeof RunDetail>, 'stage' | 'counts' | 'progress'>
type Line = Run['progress'][number]

/**
 * Returns a function that turns a run, as it stands at each look, into the lines that are new since the look before. A measured line is
 * known by all that it says, since its step need not grow: what is measured of a student has the step of the fit's end.
 */
export function watchLines(): (run: Run) => readonly string[] {
  let stage = ''
  let seen: ReadonlySet<string> = new Set()
  return (run) => {
    const begun = run.stage === stage ? [] : [`${run.stage}${countsOf(run)}`]
    const fresh = run.progress.filter((line) => !seen.has(JSON.stringify(line)))
    stage = run.stage
    seen = new Set(run.progress.map((line) => JSON.stringify(line)))
    return [...begun, ...fresh.map((line) => `  ${figuresOf(line)}`)]
  }
}

function countsOf({ counts }: Run): string {
  return counts.rows === 0
    ? ''
    : `: ${counts.rows} rows, ${counts.put_aside} put aside, ${counts.relabelled} relabelled`
}

function figuresOf(line: Line): string {
  const { step, steps, loss, reward_margin: margin, reward_accuracy: right, bits_per_byte: bits, k_score: score } = line
  const looked = line.checkpoints?.at(-1)
  return [
    `step ${step}${steps === undefined ? '' : ` of ${steps}`}`,
    ...(loss === undefined ? [] : [`loss ${loss.toFixed(4)}`]),
    ...(looked === undefined ? [] : [`validation loss ${looked.validation_loss.toFixed(4)}`]),
    ...(typeof looked?.accuracy === 'number' ? [`right answers ${looked.accuracy.toFixed(3)}`] : []),
    ...(margin === undefined ? [] : [`margin ${margin.toFixed(4)}`]),
    ...(right === undefined ? [] : [`rewards right ${right.toFixed(3)}`]),
    ...(bits === undefined ? [] : [`${bits.toFixed(4)} bits per byte`]),
    ...(score === undefined ? [] : [`K ${score.toFixed(4)}`]),
  ].join(', ')
}
