import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { listInWorkspace, openInWorkspace } from '../../../core/kernel/workspace/workspace.ts'
import type { DataFile } from '../../../core/learn/datasets/files/data-file.ts'
import { isOfInterest } from '../../../core/learn/datasets/files/folder.ts'
import { readBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { WaitingFile } from '../../../db/learn/datasets/run-build.ts'
import type { RunningActivity } from '../../kernel/run-activity.ts'
import type { DatasetDeps, VersionInput } from './deps.ts'

/** Entries of a folder of a workspace that are looked at. */
const MOST_ENTRIES = 10_000

/**
 * Copies the files of a version into a folder of this machine: uploads out of the blob store, and files and folders of the
 * workspace, whose bytes may change meanwhile. Throws `validation_failed` for a path without a file, `payload_too_large`
 * and `path_outside_workspace`.
 */
export async function gatherFiles(
  deps: DatasetDeps,
  ref: VersionInput,
  files: readonly WaitingFile[],
  { folder, activity }: { readonly folder: string; readonly activity: RunningActivity },
): Promise<readonly DataFile[]> {
  const gathered: DataFile[] = []
  let leftBytes = deps.limits.upload_bytes
  const next = (): string => join(folder, `given-${gathered.length}`)
  for (const { name, isWorkspace, blobSha256 } of files) {
    if (!isWorkspace) {
      if (blobSha256 === null) throw new Error('an uploaded file of a version was let go')
      const path = next()
      await save(readBlob(deps.db, digestOf(blobSha256)), path, activity)
      gathered.push({ name, path, isHeld: false })
      continue
    }
    for (const { full, shown } of await pathsOf(deps, ref, name)) {
      const opened = await openInWorkspace(deps.workspacesDir, { tenantId: ref.tenantId, path: full, field: 'paths' })
      if (opened === null) throw invalidField('paths', `${shown} is not there, or may not be read`)
      try {
        leftBytes -= opened.sizeBytes
        if (leftBytes < 0) {
          const message = `are more than ${deps.limits.upload_bytes} bytes together; import them one after another`
          throw invalidField('paths', message, KERNEL_ERRORS.payload_too_large)
        }
        const path = next()
        // Of an empty file no last byte can be named.
        const end = Math.max(0, opened.sizeBytes - 1)
        await save(opened.handle.createReadStream({ autoClose: false, end }), path, activity)
        gathered.push({ name: shown, path, isHeld: false })
      } finally {
        await opened.handle.close()
      }
    }
  }
  return gathered
}

/** A path of the workspace as files: itself, or what a folder holds. */
async function pathsOf(
  { workspacesDir }: DatasetDeps,
  { tenantId }: VersionInput,
  path: string,
): Promise<readonly { readonly full: string; readonly shown: string }[]> {
  const place = { tenantId, path, field: 'paths' }
  const files = await listInWorkspace(workspacesDir, place, MOST_ENTRIES)
  if (files === null) return [{ full: path, shown: path.slice(path.lastIndexOf('/') + 1) }]
  const found = files.filter(isOfInterest).map((shown) => ({ full: join(path, shown), shown }))
  if (found.length === 0) throw invalidField('paths', 'names a folder without .jsonl, .json, .csv or .parquet files')
  return found
}

/** Writes bytes to a file. */
export async function save(bytes: AsyncIterable<Uint8Array>, path: string, activity: RunningActivity): Promise<void> {
  const counted = async function* () {
    for await (const piece of bytes) {
      activity.progress()
      yield piece
    }
  }
  await pipeline(Readable.from(counted(), { objectMode: false }), createWriteStream(path), { signal: activity.signal })
}

/** Returns a stored digest in its type. */
export function digestOf(text: string): Sha256 {
  return `sha256:${text.replace(/^sha256:/, '')}`
}
