import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ApiClient } from '../../client/api-client.ts'
import { findArtifactId } from '../artifact-id.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { requireWritable } from '../../terminal/overwrite.ts'
import { formatBytes } from '../../terminal/table.ts'

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

/** Streams the archive of a job into a file, which appears only when it is whole. Throws `CliError`. */
export async function saveArchive(
  client: ApiClient,
  jobId: string,
  file: string,
): Promise<{ readonly size_bytes: number; readonly sha256: string }> {
  return await saveAnswer(await client.open(`/v1/compile/${encodeURIComponent(jobId)}/.svc`), file)
}

/** Streams an answer into a file, which appears only when it is whole. Throws `CliError`. */
export async function saveAnswer(
  response: Response,
  file: string,
): Promise<{ readonly size_bytes: number; readonly sha256: string }> {
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
