import yauzl from 'yauzl'
import { DomainError } from '../../../../kernel/errors.ts'
import { faultyLog, type ImportedLog, type LogBounds, type LogPart } from './imported.ts'
import { readInspectLog } from './read-inspect.ts'
import { isSamplesFile, readLmEvalLog } from './read-lm-eval.ts'

/** Set for an encrypted entry (APPNOTE 4.4.4). */
const ENCRYPTED = 1
/** Members beside those of samples. */
const MOST_OTHERS = 1000

/**
 * Reads the log of another tool: an `.eval` file of Inspect, or the results and samples of lm-evaluation-harness as files or in
 * a zip. Throws `invalid_eval_log` with file, member or line, also for one that holds more than the bounds allow.
 */
export async function readLog(files: readonly LogPart[], bounds: LogBounds): Promise<ImportedLog> {
  const [only, ...more] = files
  if (only === undefined) throw faultyLog('file', 'is required')
  const isZip = only.bytes[0] === 0x50 && only.bytes[1] === 0x4b
  if (isZip && more.length > 0) throw faultyLog(only.name, 'is a zip: send it alone')
  const parts = isZip ? await unzip(only, bounds) : files
  const isInspect = parts.some(({ name }) => name === 'header.json' || name.startsWith('samples/'))
  const log = isInspect ? readInspectLog(parts, only.name, bounds) : readLmEvalLog(parts, only.name, bounds)
  if (log.rows.length === 0) throw faultyLog(only.name, 'has no rows')
  if (log.rows.length > bounds.rows)
    throw faultyLog(only.name, `has ${log.rows.length} rows, and an evaluation at most ${bounds.rows}`)
  return log
}

async function unzip({ name: file, bytes }: LogPart, bounds: LogBounds): Promise<readonly LogPart[]> {
  const parts: LogPart[] = []
  let sizeBytes = 0
  try {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const zip = await yauzl.fromBufferPromise(data, { validateEntrySizes: true })
    for await (const entry of zip.eachEntry()) {
      const { fileName: name } = entry
      if (!isOfLog(name)) continue
      if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) throw faultyLog(name, 'is encrypted')
      sizeBytes += entry.uncompressedSize
      if (sizeBytes > bounds.sizeBytes) throw faultyLog(name, `the log inflates to more than ${bounds.sizeBytes} bytes`)
      if (parts.length >= bounds.rows + MOST_OTHERS)
        throw faultyLog(name, `the log has more than ${bounds.rows} samples`)
      const chunks: Uint8Array[] = []
      for await (const chunk of await zip.openReadStreamPromise(entry))
        if (chunk instanceof Uint8Array) chunks.push(chunk)
      parts.push({ name, bytes: Buffer.concat(chunks) })
    }
    return parts
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw faultyLog(file, 'is a damaged zip')
  }
}

function isOfLog(name: string): boolean {
  if (name === 'header.json') return true
  if (name.startsWith('samples/')) return name.endsWith('.json')
  return isSamplesFile(name) || /(?:^|\/)results[^/]*\.json$/.test(name)
}
