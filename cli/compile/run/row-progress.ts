import { SingleBar } from 'cli-progress'
import type { Output } from '../../terminal/output.ts'

/** Shows how far a file is. */
export interface RowProgress {
  /** Starts, or continues after an interruption. */
  start(total: number, done: number): void
  update(done: number): void
  note(line: string): void
  end(): void
}

/** Milliseconds between two lines where no bar can move. */
const LINE_EVERY_MS = 10_000

/** Opens the progress of rows: a bar on a terminal, a line now and then elsewhere, on standard error; silent with `--json`. */
export function openRowProgress(output: Output): RowProgress {
  return output.isLive && !output.isJson ? openBar(output) : openLines(output)
}

function openBar(output: Output): RowProgress {
  let bar: SingleBar | undefined
  let startedAt = 0
  let startedWith = 0
  const end = (): void => {
    bar?.stop()
    bar = undefined
  }
  return {
    start(total, done) {
      end()
      bar = new SingleBar({
        format: '{bar} {percentage} % | {value} of {total} rows | {speed} rows/s | {eta_formatted} left',
        stream: process.stderr,
        hideCursor: true,
        etaBuffer: 100,
      })
      bar.start(total, done, { speed: 0 })
      startedAt = performance.now()
      startedWith = done
    },
    update(done) {
      const seconds = Math.max((performance.now() - startedAt) / 1000, 0.001)
      bar?.update(done, { speed: Math.round((done - startedWith) / seconds) })
    },
    note(line) {
      end()
      output.note(line)
    },
    end,
  }
}

function openLines(output: Output): RowProgress {
  let total = 0
  let nextAt = 0
  return {
    start(rows) {
      total = rows
      nextAt = performance.now() + LINE_EVERY_MS
    },
    update(done) {
      if (performance.now() < nextAt) return
      nextAt = performance.now() + LINE_EVERY_MS
      output.note(`${done} of ${total} rows`)
    },
    note: (line) => output.note(line),
    end: () => undefined,
  }
}
