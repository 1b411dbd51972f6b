import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ExportFormat } from '../../../core/gateway/captures/export/format-names.ts'
import { CliError } from '../../cli-error.ts'
import { requireWritable } from '../../terminal/overwrite.ts'
import type { CliContext } from '../../context.ts'
import { formatBytes } from '../../terminal/table.ts'
import { checkExport } from './check-export.ts'
import { filterQuery, type FilterFlags } from './filters.ts'

/** Options of `svc captures export`. */
export interface ExportFlags extends FilterFlags {
  readonly format: ExportFormat
  readonly output?: string
  readonly force?: boolean
}

/**
 * `svc captures export`: streams; a file appears only when it is whole. JSON lines are compared with the count and the digest
 * that the server states. Throws `CliError` `export_incomplete`.
 */
export async function exportCaptures(context: CliContext, flags: ExportFlags): Promise<void> {
  const { output: file, format } = flags
  if (file !== undefined) await requireWritable(file, flags.force)
  const client = await context.client()
  const { body } = await client.open(`/v1/capture/export?${filterQuery(flags, { format })}`)
  if (body === null) throw new CliError('the server sent no file')
  const bytes = Readable.fromWeb(body)
  const checks = format === 'jsonl' ? [checkExport()] : []
  if (file === undefined) {
    await pipeline([bytes, ...checks, process.stdout], { end: false })
    return
  }
  const draft = `${file}.part`
  const written = createWriteStream(draft)
  try {
    await pipeline([bytes, ...checks, written])
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  const sizeBytes = written.bytesWritten
  context.output.result({ file, format, size_bytes: sizeBytes }, () => `${file} (${formatBytes(sizeBytes)})`)
}
