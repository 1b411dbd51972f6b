import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { loadArchive } from '../../../core/compile/runtime/load-archive.ts'
import { sharedContentOf, type SharedContent } from '../../../core/compile/wire/share/content.ts'
import type { Artifact } from '../../../db/compile/artifacts/artifact.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { shownContent } from '../jobs/shown-content.ts'
import { toSha256 } from '../../kernel/reply/digest.ts'

/** Facts of archives that share links show, read once. */
export interface SharedContents {
  /** Returns what a page shows of an archive; null for one that is too large or holds an adapter. */
  read(op: Operation, artifact: Artifact): Promise<SharedContent | null>
}

/** The largest archive that is opened for a page, bytes. */
const MAX_ARCHIVE_BYTES = 8 * 1024 * 1024
/** Contents that are kept; each takes some ten kilobytes. */
const MAX_KEPT = 128

/** Opens the contents. An archive is opened once, one at a time: its digest names what it holds. */
export function createSharedContents(): SharedContents {
  const kept = new LRUCache<string, Promise<SharedContent | null>>({ max: MAX_KEPT })
  const inTurn = pLimit(1)
  return {
    async read(op, artifact) {
      if (artifact.recipeKind === 'lora' || artifact.sizeBytes > MAX_ARCHIVE_BYTES) return null
      // What is forgotten is shown no more.
      const key = `${artifact.archiveSha256} ${artifact.forgottenCaptures}`
      const known = kept.get(key)
      if (known) return await known
      const opening = inTurn(async () => await open(op, artifact))
      kept.set(key, opening)
      // A failure may pass, as that of the database does; the next visit tries again.
      opening.catch(() => kept.delete(key))
      return await opening
    },
  }
}

async function open(op: Operation, artifact: Artifact): Promise<SharedContent | null> {
  try {
    const { content, manifest } = await loadArchive(
      await getBlob(op.db, toSha256(artifact.archiveSha256), MAX_ARCHIVE_BYTES),
    )
    return sharedContentOf(await shownContent(op, artifact, content), manifest.task)
  } catch (error) {
    // The facts of the row are shown all the same.
    if (COMPILE_ERRORS.invalid_archive.matches(error)) return null
    throw error
  }
}
