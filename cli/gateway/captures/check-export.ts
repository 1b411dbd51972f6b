import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import { CliError } from '../../cli-error.ts'

/** Bytes of the last line at most, which tells of the rows before it. */
const MOST_LINE_BYTES = 4096
const NEWLINE = 10

/**
 * Passes JSON lines of an export on, and compares them with their last line, in which the server states how many rows it
 * sent and their digest. Fails with `CliError` `export_incomplete` when they differ, or the line is missing.
 */
export function checkExport(): Transform {
  const hash = createHash('sha256')
  let rows = 0
  let held = Buffer.alloc(0)
  const take = (bytes: Buffer): void => {
    hash.update(bytes)
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) rows++
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      held = Buffer.concat([held, chunk])
      const whole = held.length - MOST_LINE_BYTES
      if (whole > 0) {
        take(held.subarray(0, whole))
        held = held.subarray(whole)
      }
      done(null, chunk)
    },
    flush(done) {
      const end = held.lastIndexOf(NEWLINE, held.length - 2) + 1
      take(held.subarray(0, end))
      const stated = statement(held.subarray(end).toString('utf8'))
      const isSame = stated?.count === rows && stated.digest === `sha256:${hash.digest('hex')}`
      done(isSame ? null : incomplete(stated === null))
    },
  })
}

function statement(line: string): { readonly count?: unknown; readonly digest?: unknown } | null {
  try {
    const { export: stated } = JSON.parse(line) as { export?: object }
    return stated ?? null
  } catch {
    return null
  }
}

function incomplete(isCutOff: boolean): CliError {
  const message = isCutOff
    ? 'the export was cut off: its last line, which tells of the rows, is missing; repeat it'
    : 'the rows are not those that the server states in the last line; repeat the export'
  return new CliError(message, { code: 'export_incomplete' })
}
