import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { openInWorkspace } from '../../../core/kernel/workspace/workspace.ts'
import {
  beginIndex,
  concludeFile,
  nextFile,
  type RunningIndex,
  type WaitingFile,
} from '../../../db/compile/documents/run-index.ts'
import {
  countChunks,
  findDocument,
  restampDocument,
  storeDocument,
  type KnownDocument,
} from '../../../db/compile/documents/store-document.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { inSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DocumentDeps, type IndexRef } from './deps.ts'

/** Files of one attempt by what became of them. */
interface FileCounts {
  indexed: number
  skipped: number
  failed: number
}

/**
 * Reads the waiting files of a call, one after another. Safe to repeat: each is settled in the transaction that stores it,
 * so the next attempt continues after it. A file that is not there, too large or unreadable is settled as failed.
 */
export async function readDocuments(deps: DocumentDeps, ref: IndexRef): Promise<FileCounts> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const counts = { indexed: 0, skipped: 0, failed: 0 }
      const index = await beginIndex(op, ref.indexId)
      if (index === null) return counts
      await inSlot(deps, { lane: 'short', work: ref }, activity, async (working) => {
        for (;;) {
          working.signal.throwIfAborted()
          const file = await nextFile(op, ref.indexId)
          if (file === null) return
          counts[await readOne({ deps, ref, index, activity: working }, file)]++
          working.note({ step: 'read', done: counts.indexed + counts.skipped + counts.failed })
          await sleep(0)
        }
      })
      return counts
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

interface Work {
  readonly deps: DocumentDeps
  readonly ref: IndexRef
  readonly index: RunningIndex
  readonly activity: RunningActivity
}

async function readOne(work: Work, file: WaitingFile): Promise<keyof FileCounts> {
  const { deps, ref, index, activity } = work
  const op = operationOf(deps, ref)
  const { namespace, force } = index
  const settle = async (state: 'skipped' | 'failed', reason: string): Promise<'skipped' | 'failed'> => {
    await concludeFile(op, { indexId: ref.indexId, place: file.place }, { state, reason, modality: null })
    return state
  }
  const known = force ? null : await findDocument(op, { namespace, path: file.path })
  const content = await contentOf(work, file, known)
  if (content === 'unchanged') return await settle('skipped', 'is unchanged')
  if ('problem' in content) return await settle('failed', content.problem)
  const { bytes, stamp } = content
  const sha256: Sha256 = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  if (known?.sha256 === sha256) {
    if (stamp !== null) await restampDocument(op, { namespace, path: file.path, stamp })
    return await settle('skipped', 'is unchanged')
  }
  const { limits } = deps
  const extracted = await deps.extractor.extract(
    file.path,
    bytes,
    { textChars: limits.document_text_chars, inflatedBytes: limits.document_inflated_bytes },
    activity.signal,
  )
  const most = limits.document_chunks_per_namespace
  if ((await countChunks(op, namespace, file.path)) + extracted.chunks.length > most) {
    return await settle('failed', `does not fit: a namespace has at most ${most} chunks`)
  }
  activity.progress()
  await storeDocument(op, {
    indexId: ref.indexId,
    namespace,
    file,
    sha256,
    sizeBytes: bytes.length,
    stamp,
    extracted,
  })
  return 'indexed'
}

type Content =
  | { readonly bytes: Uint8Array; readonly stamp: string | null }
  | { readonly problem: string }
  | 'unchanged'

/** The bytes of a file; nothing of one of the workspace is read while its facts on the disk are those of its document. */
async function contentOf({ deps, ref }: Work, file: WaitingFile, known: KnownDocument | null): Promise<Content> {
  const most = deps.limits.document_bytes
  const tooLarge = { problem: `has more than ${most} bytes` }
  if (file.origin === 'upload') {
    if (file.blobSha256 === null) return { problem: 'was not kept' }
    if (known?.sha256 === file.blobSha256) return 'unchanged'
    if ((file.sizeBytes ?? 0) > most) return tooLarge
    return { bytes: await getBlob(deps.db, file.blobSha256, most), stamp: null }
  }
  try {
    const place = { tenantId: ref.tenantId, path: file.path, field: 'path' }
    const opened = await openInWorkspace(deps.workspacesDir, place)
    if (opened === null) return { problem: 'is not there, or may not be read' }
    const { handle, sizeBytes, stamp } = opened
    try {
      if (known?.stamp === stamp) return 'unchanged'
      if (sizeBytes > most) return tooLarge
      return { bytes: await readWhole(handle, sizeBytes), stamp }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof DomainError && !error.facts.retryable) return { problem: error.message.replace(/^path: /, '') }
    throw error
  }
}

/** Reads as many bytes as the file had when it was opened: one that grows meanwhile is read again by the next call. */
async function readWhole(handle: FileHandle, sizeBytes: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(sizeBytes)
  let filled = 0
  while (filled < sizeBytes) {
    const { bytesRead } = await handle.read(bytes, filled, sizeBytes - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
