import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, constants, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ApiClient } from '../client/api-client.ts'
import { findArtifactId } from './artifact-id.ts'
import { usageError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { confirmOverwrite } from '../terminal/overwrite.ts'
import { formatBytes } from '../terminal/table.ts'

/** `svc download`. */
export async function download(
  context: CliContext,
  target: string,
  options: { readonly output?: string; readonly force?: boolean },
): Promise<void> {
  const client = await context.client()
  const jobId = await findArtifactId(client, target)
  const file = options.output ?? `${jobId}.svc`
  await requireWritable(file, options.force)
  const saved = await saveArchive(client, jobId, file)
  context.output.result({ file, ...saved }, () =>
    [`${file} (${formatBytes(saved.size_bytes)})`, `svc verify ${file}`].join('\n'),
  )
}

/**
 * Throws `CliError` when a file cannot be written, before any work is done for it. Asks before an existing one is
 * overwritten, unless `force` is given.
 */
export async function requireWritable(file: string, force?: boolean): Promise<void> {
  if ((await stat(file).catch(() => undefined))?.isDirectory() === true) throw usageError(`${file} is a folder`)
  const folder = dirname(file)
  const found = await stat(folder).catch(() => undefined)
  if (found?.isDirectory() !== true) throw usageError(`cannot write ${file}: there is no folder ${folder}`)
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw usageError(`cannot write ${file}: the folder ${folder} is not writable`, error)
  })
  await confirmOverwrite(file, force)
}

/** Streams the archive of a job into a file, which appears only when it is whole. Throws `CliError`. */
export async function saveArchive(
  client: ApiClient,
  jobId: string,
  file: string,
): Promise<{ readonly size_bytes: number; readonly sha256: string }> {
  const response = await client.open(`/v1/compile/${encodeURIComponent(jobId)}/.svc`)
  const draft = `${file}.part`
  const hash = createHash('sha256')
  let sizeBytes = 0
  const tap = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      sizeBytes += chunk.length
      done(null, chunk)
    },
  })
  try {
    await pipeline(Readable.fromWeb(response.body ?? new ReadableStream()), tap, createWriteStream(draft))
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    const isOfFile = error instanceof Error && 'syscall' in error && 'path' in error
    throw isOfFile ? usageError(`cannot write ${file}: ${error.message}`, error) : error
  }
  return { size_bytes: sizeBytes, sha256: `sha256:${hash.digest('hex')}` }
}
