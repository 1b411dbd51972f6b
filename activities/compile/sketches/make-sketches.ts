import type { Limits } from '../../../core/compile/limits.ts'
import { EvalsDocument } from '../../../core/compile/archive/members/documents.ts'
import { decodeJson, parseDocument } from '../../../core/compile/archive/members/members-json.ts'
import { unpackArchive } from '../../../core/compile/archive/unpack.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { unsketchedHeads, type UnsketchedHead } from '../../../db/compile/across/due/unsketched-heads.ts'
import { forgottenExamples } from '../../../db/compile/jobs/captures/read-uses.ts'
import { addSketch } from '../../../db/compile/sketches/record-sketch.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import { ONE_ATTEMPT, type Chore } from '../../kernel/chores/chore.ts'
import type { ReconcileDeps } from '../../kernel/reconcile/deps.ts'

/** Versions of one tick; the next one does the rest. */
const VERSIONS = 20
/** The largest archive that is read here, bytes; of a larger one the query alone decides. */
const MOST_ARCHIVE_BYTES = 64 * 1024 * 1024

/**
 * Makes the sketches of versions that have none: those published before there were sketches, and those that lost theirs
 * with a forgotten example. They are made of the held-out rows in the archive.
 */
export const makeSketches: Chore<ReconcileDeps<Limits>> = {
  name: 'sketches',
  attempts: ONE_ATTEMPT,
  summary: 'Make the sketches of versions that have none, by which calls are routed',
  async run({ db, log, now }, { signal, progress }) {
    let made = 0
    for (const head of await unsketchedHeads(db, VERSIONS)) {
      if (signal.aborted) break
      const op = systemOperation(db, { tenantId: head.tenantId, name: 'sketches', requestId: head.artifactId, now })
      const inputs = await inputsOf(op, head).catch((error: unknown) => {
        log.warn({ err: error, artifact: head.artifactId }, 'an archive could not be read for its sketch')
        return []
      })
      await addSketch(op, { ...head, inputs })
      made++
      progress()
    }
    return { made }
  },
}

/** The inputs of the held-out rows that the archive shows, without those of forgotten captures. */
async function inputsOf(op: Operation, { artifactId, archiveSha256 }: UnsketchedHead): Promise<readonly Json[]> {
  const { members } = await unpackArchive(await getBlob(op.db, archiveSha256, MOST_ARCHIVE_BYTES))
  const evals = members.get('evals.json')
  if (evals === undefined) return []
  const { rows } = parseDocument(EvalsDocument, decodeJson(evals, 'evals.json'), 'evals.json')
  const forgotten = await forgottenExamples(op, artifactId)
  return rows.filter(({ id }) => !forgotten.has(id)).map(({ input }) => input)
}
