import { vectorBytes, VectorMatrix } from '../../../../core/compile/documents/vectors/vector-matrix.ts'
import type { ModelTotals } from './read-chunks.ts'
import { listEmbedded, readVectors } from './chunk-vectors.ts'
import type { Operation } from '../../../kernel/operation.ts'

/** The vectors of a namespace by one model, as they are held in memory. */
export interface HeldVectors {
  /** Names the matrix while rows are only added to it. */
  readonly key: string
  readonly matrix: VectorMatrix
}

/** The request for vectors: which ones, for whom. */
export interface VectorsWanted extends ModelTotals {
  readonly namespace: string
  readonly dimensions: number
}

/** The vectors that this process holds for searches. */
export interface NamespaceVectors {
  /** Reads the vectors that are not in memory yet; null when all vectors together do not fit. */
  hold(op: Operation, wanted: VectorsWanted): Promise<HeldVectors | null>
}

interface Held extends HeldVectors {
  readonly fingerprint: string
}

/** Vectors of one query. */
const VECTORS_PER_READ = 2000

/**
 * Holds the vectors of the namespaces that were searched last, in `mostBytes` together. Vectors of a document never change
 * while its id and the model stay, so a new fingerprint costs the new documents only. `onDrop` gets the keys of matrices
 * that are no longer used.
 */
export function createNamespaceVectors(mostBytes: number, onDrop: (key: string) => void): NamespaceVectors {
  const held = new Map<string, Promise<Held>>()
  const sizes = new Map<string, number>()
  let matrices = 0

  const makeRoom = (own: string, neededBytes: number): void => {
    let used = neededBytes
    for (const [name, bytes] of sizes) if (name !== own) used += bytes
    for (const [name, bytes] of sizes) {
      if (used <= mostBytes) return
      if (name === own) continue
      used -= bytes
      sizes.delete(name)
      const gone = held.get(name)
      held.delete(name)
      void gone?.then(({ key }) => onDrop(key)).catch(() => undefined)
    }
  }

  const refresh = async (op: Operation, wanted: VectorsWanted, before: Held | undefined): Promise<Held> => {
    const { namespace, model, fingerprint, dimensions } = wanted
    const embedded = new Set(await listEmbedded(op, { namespace, model }))
    const earlier = before?.matrix.documents() ?? new Set<string>()
    const gone = earlier.difference(embedded)
    const isNew = before === undefined || gone.size > 0
    if (isNew && before !== undefined) onDrop(before.key)
    const matrix =
      before === undefined ? new VectorMatrix(dimensions) : isNew ? before.matrix.without(gone) : before.matrix
    matrix.reserve(wanted.chunks)
    const fresh = [...embedded.difference(earlier)]
    for (let at = 0; at < fresh.length;) {
      const documentIds = fresh.slice(at, at + documentsPerRead(wanted, embedded.size))
      for (const { documentId, seq, vector } of await readVectors(op, { documentIds, model })) {
        matrix.add({ documentId, seq }, vector)
      }
      at += documentIds.length
    }
    const key = isNew ? `${op.tenantId} ${namespace} ${model} ${matrices++}` : before.key
    return { key, matrix, fingerprint }
  }

  return {
    async hold(op, wanted) {
      const neededBytes = wanted.chunks * vectorBytes(wanted.dimensions)
      if (neededBytes > mostBytes) return null
      const name = `${op.tenantId} ${wanted.namespace} ${wanted.model}`
      const known = held.get(name)
      const next = (async (): Promise<Held> => {
        const before = await known?.catch(() => undefined)
        if (before?.fingerprint === wanted.fingerprint) return before
        makeRoom(name, neededBytes)
        return await refresh(op, wanted, before)
      })()
      held.delete(name)
      held.set(name, next)
      sizes.delete(name)
      sizes.set(name, neededBytes)
      try {
        return await next
      } catch (error) {
        if (held.get(name) === next) {
          held.delete(name)
          sizes.delete(name)
        }
        throw error
      }
    },
  }
}

/** Documents of about `VECTORS_PER_READ` vectors. */
function documentsPerRead({ chunks }: VectorsWanted, documents: number): number {
  return Math.max(1, Math.floor((VECTORS_PER_READ * Math.max(1, documents)) / Math.max(1, chunks)))
}
