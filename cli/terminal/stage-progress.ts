import { MultiBar, type SingleBar } from 'cli-progress'
import { STAGE_LABELS, stageLabel } from '../../core/compile/rows/task.ts'
import type { JobEvent } from '../client/job-events.ts'
import { describeProgress } from './fit-progress.ts'
import type { Output } from './output.ts'

/** Shows a job's events to people. */
export interface StageProgress {
  show(event: JobEvent): void
  end(): void
}

/**
 * Opens the progress of stages: bars on a terminal, lines elsewhere, no output with `--json`. Always on standard error.
 */
export function openStageProgress({ isLive, isJson }: Output): StageProgress {
  if (isLive) return new Bars()
  return isJson ? { show: () => undefined, end: () => undefined } : new Lines()
}

/** Opens the same for a job that may ask: after `end` the next event opens it again. */
export function pausingProgress(output: Output): StageProgress {
  let open: StageProgress | undefined
  return {
    show: (event) => (open ??= openStageProgress(output)).show(event),
    end: () => {
      open?.end()
      open = undefined
    },
  }
}

/** Writes every event as one JSON object per line of standard output: its kind as `event`, and the server's fields. */
export function writeEventLines(output: Output): StageProgress {
  return {
    show: ({ kind, body }) => output.result({ event: kind, ...body }, () => kind),
    end: () => undefined,
  }
}

/** Returns the numbers of a fit if the event has them. */
function trainingOf({ kind, body }: JobEvent): Parameters<typeof describeProgress>[0] | null {
  const { training_step: step, training_steps: steps, loss } = body
  if (kind !== 'metric' || step === undefined || steps === undefined || loss === undefined) return null
  return {
    step,
    steps,
    loss,
    epoch: body.epoch ?? 1,
    validationLoss: body.validation_loss ?? null,
    tokensPerSecond: body.tokens_per_second ?? 0,
    etaSeconds: body.eta_seconds ?? 0,
  }
}

interface StageBar {
  readonly bar: SingleBar
  readonly startedAt: number
}

class Bars implements StageProgress {
  readonly #multi = new MultiBar({
    format: '{stage} {bar} {percentage}% {note}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    clearOnComplete: false,
    hideCursor: true,
    stream: process.stderr,
  })
  readonly #stages = new Map<string, StageBar>()

  show(event: JobEvent): void {
    const { kind, body } = event
    const training = trainingOf(event)
    const stage = body.step
    if (stage === undefined) {
      if (kind === 'log' && body.message !== undefined) this.#multi.log(`${body.message}\n`)
      return
    }
    const { bar, startedAt } = this.#of(stage)
    const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`
    if (kind === 'progress') bar.update(Math.round((body.fraction ?? 0) * 100), { note: body.note ?? '' })
    else if (kind === 'log') bar.update({ note: body.message ?? '' })
    else if (training !== null) {
      bar.update(Math.round((training.step / Math.max(1, training.steps)) * 100), { note: describeProgress(training) })
    } else if (kind === 'metric' && body.k_score !== undefined) bar.update({ note: `K ${body.k_score.toFixed(3)}` })
    else if (kind === 'step.end') bar.update(100, { note: body.status === 'done' ? seconds() : (body.status ?? '') })
  }

  end(): void {
    this.#multi.stop()
  }

  #of(stage: string): StageBar {
    const known = this.#stages.get(stage)
    if (known !== undefined) return known
    const made = { bar: this.#multi.create(100, 0, { stage: columnOf(stage), note: '' }), startedAt: Date.now() }
    this.#stages.set(stage, made)
    return made
  }
}

const LABEL_CHARS = Math.max(...Object.values(STAGE_LABELS).map(({ length }) => length))

/** Returns the label of a stage, padded to the width of a column. */
function columnOf(stage = ''): string {
  return stageLabel(stage).padEnd(LABEL_CHARS)
}

/** Time between two lines of one fit. */
const FIT_LINE_EVERY_MS = 5000

class Lines implements StageProgress {
  #fitToldAt = -Infinity

  show(event: JobEvent): void {
    const { kind, body } = event
    const training = trainingOf(event)
    const write = (line: string) => process.stderr.write(`${line}\n`)
    if (kind === 'log' && body.message !== undefined) write(`${columnOf(body.step)} ${body.message}`)
    if (kind === 'metric' && body.k_score !== undefined) {
      write(`${columnOf(body.step)} K ${body.k_score.toFixed(3)}`)
    }
    if (training !== null && this.#isDue(training)) write(`${columnOf(body.step)} ${describeProgress(training)}`)
    if (kind === 'step.end' && body.step !== undefined) write(`${columnOf(body.step)} ${body.status ?? ''}`)
  }

  end(): void {
    // Lines are complete as they are written.
  }

  #isDue({ step, steps }: { readonly step: number; readonly steps: number }): boolean {
    const now = performance.now()
    if (now - this.#fitToldAt < FIT_LINE_EVERY_MS && step < steps) return false
    this.#fitToldAt = now
    return true
  }
}
