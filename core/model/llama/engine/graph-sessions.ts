import type { InferenceSession } from 'onnxruntime-node'
import { openSession } from '../../graph/session.ts'
import type { Batch, Bucket } from '../batch.ts'
import { LOG_PROBS, type Scoring } from '../scoring.ts'
import type { TrainingGraph } from '../training-graph.ts'

export interface GraphSession {
  readonly session: InferenceSession
  readonly graph: Omit<TrainingGraph, 'bytes'>
}

/** Opened graphs of one kind by bucket; the least recently used are released beyond `limit`. */
export class GraphSessions {
  readonly #build: (bucket: Bucket) => TrainingGraph
  readonly #threads: number
  readonly #limit: number
  readonly #open = new Map<string, GraphSession>()

  constructor(build: (bucket: Bucket) => TrainingGraph, threads: number, limit = 12) {
    this.#build = build
    this.#threads = threads
    this.#limit = limit
  }

  async get(bucket: Bucket): Promise<GraphSession> {
    const key = `${bucket.bins}x${bucket.length}:${bucket.answers}`
    const known = this.#open.get(key)
    if (known !== undefined) {
      this.#open.delete(key)
      this.#open.set(key, known)
      return known
    }
    const { bytes, ...graph } = this.#build(bucket)
    const opened = { session: await openSession(bytes, { threads: this.#threads }), graph }
    this.#open.set(key, opened)
    const [oldest] = this.#open
    if (this.#open.size > this.#limit && oldest !== undefined) {
      this.#open.delete(oldest[0])
      await oldest[1].session.release()
    }
    return opened
  }

  async release(): Promise<void> {
    const opened = [...this.#open.values()]
    this.#open.clear()
    for (const { session } of opened) await session.release()
  }
}

/** Graphs that score by `scoring`, and by log-probabilities for batches without a teacher. */
export class ScoredSessions {
  readonly #plain: GraphSessions
  readonly #taught: GraphSessions

  constructor(
    build: (bucket: Bucket, scoring: Scoring) => TrainingGraph,
    { scoring = LOG_PROBS, threads }: { readonly scoring?: Scoring; readonly threads: number },
  ) {
    this.#plain = new GraphSessions((bucket) => build(bucket, LOG_PROBS), threads)
    this.#taught = new GraphSessions((bucket) => build(bucket, scoring), threads)
  }

  async get({ bucket, teacher }: Pick<Batch, 'bucket' | 'teacher'>): Promise<GraphSession> {
    return await (teacher === undefined ? this.#plain : this.#taught).get(bucket)
  }

  async release(): Promise<void> {
    await this.#plain.release()
    await this.#taught.release()
  }
}
