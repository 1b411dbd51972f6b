import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Figures between two entries of the history. */
export interface HistoryEntry {
  /** Steps done. */
  readonly step: number
  /** Mean loss over all scored tokens, weighted as in training, in nats. */
  readonly loss: number
  /** Mean loss over the tokens of answers only. */
  readonly answerLoss: number
  /** Tokens read since the start. */
  readonly tokens: number
  /** Seconds since the start, over all runs. */
  readonly seconds: number
}

/** State from which a stopped run can be resumed. */
export interface RunState {
  /** Steps done. */
  step: number
  tokens: number
  seconds: number
  history: readonly HistoryEntry[]
  readonly arrays: Readonly<Record<'values' | 'first' | 'second' | 'momentum', Float32Array>>
}

const NAMES = ['values', 'first', 'second', 'momentum'] as const

/** Writes the state beside its final name first, so that a kill leaves the one before it whole. */
export function saveRun(directory: string, state: RunState): void {
  const { step, tokens, seconds, history } = state
  const header = Buffer.from(`${JSON.stringify({ step, tokens, seconds, history })}\n`)
  const parts = NAMES.map((name) => {
    const { buffer, byteOffset, byteLength } = state.arrays[name]
    return new Uint8Array(buffer, byteOffset, byteLength)
  })
  const file = join(directory, 'run.bin')
  writeFileSync(`${file}.new`, Buffer.concat([header, ...parts]))
  renameSync(`${file}.new`, file)
}

/** Fills a state from the saved one. Throws when there is none or it is of another model. */
export function loadRun(directory: string, state: RunState): void {
  const bytes = readFileSync(join(directory, 'run.bin'))
  const end = bytes.indexOf(10)
  const header = JSON.parse(bytes.toString('utf8', 0, end))
  let offset = end + 1
  for (const name of NAMES) {
    const target = state.arrays[name]
    if (bytes.length < offset + target.byteLength) throw new RangeError('the saved run is of another model')
    new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(
      bytes.subarray(offset, offset + target.byteLength),
    )
    offset += target.byteLength
  }
  Object.assign(state, { step: header.step, tokens: header.tokens, seconds: header.seconds, history: header.history })
}
