import { openAsBlob } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { EmbedView } from '../../../core/compile/wire/documents/embed.ts'
import { usageError } from '../../cli-error.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { formatTable, plainText } from '../../terminal/table.ts'

/** Options of `svc embed`. */
export interface EmbedFlags {
  readonly namespace: string
  readonly server?: boolean
  readonly model?: string
  readonly force?: boolean
}

type Indexing = z.input<typeof EmbedView>

const POLL_MS = 2000

/** `svc embed`: waits until all files are done with. Returns 1 when one could not be read. */
export async function embed(context: CliContext, files: readonly string[], flags: EmbedFlags): Promise<number> {
  const client = await context.client()
  const send = async (as: EmbedFlags): Promise<Indexing> =>
    await untilDone(client, as.server === true ? await indexPaths(client, files, as) : await upload(client, files, as))
  const first = await send(flags)
  const done = await untilEmbedded(first, async () => await send({ ...flags, force: false }))
  context.output.result(done, () => describe(done))
  return done.state === 'succeeded' && done.failed === 0 ? EXIT.ok : EXIT.failed
}

async function indexPaths(client: ApiClient, paths: readonly string[], flags: EmbedFlags): Promise<Indexing> {
  const { namespace, model, force = false } = flags
  const json = { namespace, paths, force, ...(model !== undefined && { embedding_model: model }) }
  return await client.call('/v1/embed', EmbedView, { method: 'POST', json })
}

async function upload(client: ApiClient, files: readonly string[], flags: EmbedFlags): Promise<Indexing> {
  const { namespace, model, force } = flags
  const body = async (): Promise<FormData> => {
    const form = new FormData()
    form.append('namespace', namespace)
    if (force === true) form.append('force', 'true')
    if (model !== undefined) form.append('embedding_model', model)
    for (const file of files) form.append('file', await readFile(file), file)
    return form
  }
  return await client.call('/v1/embed', EmbedView, { method: 'POST', body })
}

async function readFile(file: string): Promise<Blob> {
  try {
    return await openAsBlob(file)
  } catch (cause) {
    throw usageError(`${file}: cannot be read`, cause)
  }
}

async function untilDone(client: ApiClient, started: Indexing): Promise<Indexing> {
  let now = started
  while (now.finished_at === null) {
    await sleep(POLL_MS)
    now = await client.call(now.poll, EmbedView)
  }
  return now
}

/**
 * Sends the call again until a provider has given all vectors, which it is asked for within calls only; gives up when a call
 * brings none. The answer keeps the files of the first call, since later ones find them unchanged.
 */
async function untilEmbedded(first: Indexing, again: () => Promise<Indexing>): Promise<Indexing> {
  let now = first
  let missing = Infinity
  while ((now.chunks_without_vectors ?? 0) > 0 && (now.chunks_without_vectors ?? 0) < missing) {
    missing = now.chunks_without_vectors ?? 0
    const { embedding_model, vectors, chunks_without_vectors } = await again()
    now = { ...first, embedding_model, vectors, chunks_without_vectors }
  }
  return now
}

function describe({
  files,
  indexed,
  skipped,
  failed,
  namespace,
  embedding_model: model,
  vectors,
  error,
}: Indexing): string {
  return [
    formatTable(
      ['file', 'state', 'kind', 'note'],
      files.map(({ path, state, modality, reason }) => [
        plainText(path),
        state,
        modality ?? '',
        plainText(reason ?? ''),
      ]),
    ),
    `${namespace}: ${indexed} indexed, ${skipped} unchanged, ${failed} not read`,
    ...(model === null ? [] : [`vectors: ${model}`]),
    ...(vectors === null ? [] : [`vectors: ${vectors}`]),
    ...(error === null ? [] : [error]),
  ].join('\n')
}
