import { MultiBar, type SingleBar } from 'cli-progress'
import type { JobEvent } from '../client/job-events.ts'
import type { Output } from './output.ts'

/** Shows a job's events to people. */
export interface StageProgress {
  show(event: JobEvent): void
  end(): void
}

/** Bars that move on a terminal, elsewhere lines, or nothing with `--json`. Always on standard error. */
export function openStageProgress({ isLive, isJson }: Output): StageProgress {
  if (isLive) return new Bars()
  return isJson ? { show: () => undefined, end: () => undefined } : new Lines()
}

/** Every event as one JSON object on a line of standard output: its kind as `event`, and what the server says of it. */
export function writeEventLines(output: Output): StageProgress {
  return {
    show: ({ kind, body }) => output.result({ event: kind, ...body }, () => kind),
    end: () => undefined,
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

  show({ kind, body }: JobEvent): void {
    const stage = body.step
    if (stage === undefined) {
      if (kind === 'log' && body.message !== undefined) this.#multi.log(`${body.message}\n`)
      return
    }
    const { bar, startedAt } = this.#of(stage)
    const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`
    if (kind === 'progress') bar.update(Math.round((body.fraction ?? 0) * 100), { note: body.note ?? '' })
    else if (kind === 'log') bar.update({ note: body.message ?? '' })
    else if (kind === 'metric' && body.k_score !== undefined) bar.update({ note: `K ${body.k_score.toFixed(3)}` })
    else if (kind === 'step.end') bar.update(100, { note: body.status === 'done' ? seconds() : (body.status ?? '') })
  }

  end(): void {
    this.#multi.stop()
  }

  #of(stage: string): StageBar {
    const known = this.#stages.get(stage)
    if (known !== undefined) return known
    const made = { bar: this.#multi.create(100, 0, { stage: stage.padEnd(9), note: '' }), startedAt: Date.now() }
    this.#stages.set(stage, made)
    return made
  }
}

class Lines implements StageProgress {
  show({ kind, body }: JobEvent): void {
    const write = (line: string) => process.stderr.write(`${line}\n`)
    if (kind === 'log' && body.message !== undefined) write(`${(body.step ?? '').padEnd(9)} ${body.message}`)
    if (kind === 'metric' && body.k_score !== undefined) {
      write(`${(body.step ?? '').padEnd(9)} K ${body.k_score.toFixed(3)}`)
    }
    if (kind === 'step.end' && body.step !== undefined) write(`${body.step.padEnd(9)} ${body.status ?? ''}`)
  }

  end(): void {
    // Lines are complete as they are written.
  }
}
