import { z } from 'zod'
import { EmbedBody, EmbedForm, EmbedView } from '../../../core/compile/wire/documents/embed.ts'
import { DocumentIndexId } from '../../../core/kernel/wire/ids.ts'
import { openInWorkspace, workspacePath } from '../../../core/kernel/workspace/workspace.ts'
import { timeoutAfter } from '../../../core/kernel/threads/timers.ts'
import { createIndex, type FileToIndex } from '../../../db/compile/documents/create-index.ts'
import { findIndex, type IndexProgress } from '../../../db/compile/documents/find-index.ts'
import { countToEmbed } from '../../../db/compile/documents/recall/chunk-vectors.ts'
import { requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import { discardUpload } from '../../../db/kernel/blobs/uploads.ts'
import { requireAllowance } from '../../../db/kernel/storage/allowance.ts'
import { stageBytes } from '../../../db/kernel/storage/stage-bytes.ts'
import { requireScope, type Operation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type CallFacts } from '../services.ts'
import { embedChunksByProvider, providersModel, type VectorCaller } from './provider-vectors.ts'
import { receiveFiles } from './receive-files.ts'
import { waitForIndex } from './wait-for-index.ts'

export const embedRoute = defineRoute({
  method: 'post',
  path: '/v1/embed',
  operationId: 'embedDocuments',
  group: 'run',
  summary: 'Index files into a namespace',
  description: (limits) =>
    `Reads text, Markdown, code, HTML, PDF and office files, of up to ${limits.document_bytes} bytes each, so that \`POST /v1/recall\` finds their parts. The files are in your workspace on the server (\`paths\`), or uploaded as multipart. Unchanged files are not read again unless \`force\` is true. Files without a text that can be read are kept as documents with \`content_extracted: false\`. Chunks get vectors of the server's model of embeddings, or of the provider's that \`embedding_model\` names, within this call; another model than before embeds the whole namespace again. Waits for the end; after ${limits.sync_index_wait_s} seconds it answers 202, and \`poll\` shows the rest.`,
  auth: 'key',
  scope: 'documents:write',
  namespace: 'bounded',
  stores: 'blobs',
  body: EmbedBody,
  multipart: EmbedForm,
  answers: {
    200: envelope('All files are done with', EmbedView),
    202: envelope('Files are still being read', EmbedView),
  },
  errors: [
    'path_outside_workspace',
    'unknown_model',
    'too_many_running_jobs',
    'limit_reached',
    'storage_allowance_used',
    'busy',
    'storage_full',
  ],
}).handle(
  async (call) => {
    const { op, services, body } = call
    requireNamespace(op, body.namespace)
    const asked = modelOf(op, body.embedding_model)
    const files = body.paths.map((path, at) => ({
      path: workspacePath(services.settings.workspacesDir, { tenantId: op.tenantId, path, field: `paths.${at}` }),
      staged: null,
    }))
    for (const [at, { path }] of files.entries()) await refuseLink(call, path, `paths.${at}`)
    await requireAllowance(op, services.limits)
    const { namespace, force } = body
    const input = { namespace, force, embeddingModel: asked, files: distinct(files), limits: services.limits }
    return await answer(call, await createIndex(op, input), input)
  },
  async (call) => {
    const { op, services, request } = call
    const { limits } = services
    await requireAllowance(op, limits)
    const received = await receiveFiles(request, services, op.tenantId)
    const files: FileToIndex[] = []
    let isTaken = false
    try {
      requireNamespace(op, received.namespace)
      services.storage.take(received.files.reduce((sum, { spooled }) => sum + spooled.sizeBytes, 0))
      for (const { path, spooled } of received.files)
        files.push({ path, staged: await stageBytes(op, spooled, limits) })
      const { namespace, force } = received
      const input = { namespace, force, embeddingModel: modelOf(op, received.embedding_model), files, limits }
      const indexId = await createIndex(op, input)
      isTaken = true
      return await answer(call, indexId, input)
    } finally {
      await received.release()
      if (!isTaken)
        for (const { staged } of files) await discardUpload(op.db, staged?.storageId ?? '').catch(() => undefined)
    }
  },
)

export const getIndexRoute = defineRoute({
  method: 'get',
  path: '/v1/embed/{id}',
  operationId: 'getDocumentIndexing',
  group: 'run',
  summary: 'Show how far the indexing of files is',
  auth: 'key',
  scope: 'documents:read',
  namespace: 'bounded',
  params: z.object({ id: DocumentIndexId }),
  answers: { 200: envelope('The indexing as it stands', EmbedView) },
}).handle(async ({ op, params }) => ({ status: 200, body: await presentIndex(op, await findIndex(op, params.id)) }))

/**
 * Throws `path_outside_workspace` for a path that leads through a link or to no file, as far as this process sees the
 * workspaces; the worker checks again when it reads. A path without a file is accepted: its state says so.
 */
async function refuseLink({ op, services }: EmbedCall, path: string, field: string): Promise<void> {
  const opened = await openInWorkspace(services.settings.workspacesDir, { tenantId: op.tenantId, path, field })
  await opened?.handle.close()
}

/**
 * The provider's model that a call asks vectors of; null for the server's own. Throws `insufficient_scope` for a key that
 * may not call models.
 */
function modelOf(op: Operation, name: string | undefined): string | null {
  if (name === undefined) return null
  requireScope(op, 'gateway:call')
  return providersModel(name, 'embedding_model')
}

type EmbedCall = Pick<CallFacts, 'endOfCall'> & VectorCaller

async function answer(
  call: EmbedCall,
  indexId: string,
  { namespace, embeddingModel }: { readonly namespace: string; readonly embeddingModel: string | null },
) {
  const over = timeoutAfter(call.services.limits.sync_index_wait_s)
  let progress = await waitForIndex(call, indexId)
  if (progress.finishedAt !== null && embeddingModel !== null) {
    const signal = AbortSignal.any([over, call.endOfCall()])
    await embedChunksByProvider(call, { indexId, namespace, model: embeddingModel, signal })
    progress = await findIndex(call.op, indexId)
  }
  const status = progress.finishedAt === null ? (202 as const) : (200 as const)
  return { status, body: await presentIndex(call.op, progress) }
}

/** A path that is named twice is read once. */
function distinct(files: readonly FileToIndex[]): readonly FileToIndex[] {
  return [...new Map(files.map((file) => [file.path, file])).values()]
}

async function presentIndex(op: Operation, progress: IndexProgress): Promise<z.input<typeof EmbedView>> {
  const { files, namespace, embeddingModel: model = null, vectorsNote = null } = progress
  const isOpen = model !== null && vectorsNote !== null
  const count = (state: string) => files.filter((file) => file.state === state).length
  const byModality: Record<string, number> = {}
  for (const { state, modality } of files) {
    if (state === 'indexed' && typeof modality === 'string') byModality[modality] = (byModality[modality] ?? 0) + 1
  }
  return {
    index_id: progress.id,
    namespace: progress.namespace,
    state: progress.state,
    indexed: count('indexed'),
    skipped: count('skipped'),
    failed: count('failed'),
    waiting: count('waiting'),
    by_modality: byModality,
    files: files.map(({ path, state, modality, reason }) => ({
      path,
      state,
      modality: modality ?? null,
      reason: reason ?? null,
    })),
    embedding_model: isOpen ? null : model,
    vectors: vectorsNote,
    chunks_without_vectors: isOpen ? await countToEmbed(op, { namespace, model }) : null,
    error_code: progress.errorCode ?? null,
    error: progress.errorMessage ?? null,
    created_at: progress.createdAt.toISOString(),
    finished_at: progress.finishedAt?.toISOString() ?? null,
    poll: `/v1/embed/${progress.id}`,
  }
}
