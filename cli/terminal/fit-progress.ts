import { SingleBar } from 'cli-progress'
import type { FitProgress } from '../../core/model/training/loop/history.ts'
import type { Output } from './output.ts'

/** Shows the progress of a fit. */
export interface FitProgressView {
  show(progress: FitProgress): void
  end(): void
}

/** Time between two lines on an output that is not a terminal. */
const LINE_EVERY_MS = 5000

/**
 * Opens the progress of a fit: a bar on a terminal, elsewhere a line now and then, no output with `--json`; always on
 * standard error.
 */
export function openFitProgress(output: Output): FitProgressView {
  if (output.isJson) return { show: () => undefined, end: () => undefined }
  return output.isLive ? openBar() : openLines((line) => output.note(line))
}

/** A fit's numbers on one line. */
export function describeProgress(progress: Omit<FitProgress, 'learningRate'>): string {
  const { step, steps, epoch, loss, validationLoss, tokensPerSecond, etaSeconds } = progress
  return [
    `step ${step}/${steps}`,
    `epoch ${epoch}`,
    `loss ${loss.toFixed(4)}`,
    ...(validationLoss === null ? [] : [`validation ${validationLoss.toFixed(4)}`]),
    `${Math.round(tokensPerSecond)} tokens/s`,
    `${describeSeconds(etaSeconds)} left`,
  ].join('  ')
}

/** A duration for people. */
export function describeSeconds(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

function openBar(): FitProgressView {
  const bar = new SingleBar({
    format: '{bar} {note}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    stream: process.stderr,
  })
  let isStarted = false
  return {
    show(progress) {
      const payload = { note: describeProgress(progress) }
      if (isStarted) bar.setTotal(progress.steps)
      else bar.start(progress.steps, progress.step, payload)
      isStarted = true
      bar.update(progress.step, payload)
    },
    end: () => bar.stop(),
  }
}

function openLines(note: (line: string) => void): FitProgressView {
  let last = -Infinity
  return {
    show(progress) {
      const now = performance.now()
      if (now - last < LINE_EVERY_MS && progress.step < progress.steps) return
      last = now
      note(describeProgress(progress))
    },
    end: () => undefined,
  }
}
