import type { PreparedAdapter } from '../../llama/inference/adapter-rows.ts'
import type { CachedModel } from '../../llama/inference/cached-model.ts'
import { cacheBytesPerToken } from '../../llama/inference/kv-cache.ts'
import type { Generation } from '../options.ts'
import type { EngineSettings } from './limits.ts'
import type { RunningAnswer } from './running-answer.ts'
import { scoreContinuations, scoreTokens, type ContinuationScore, type ContinuationTask } from './score-tokens.ts'

/** Maximum number of tokens of one row per read. */
const CHUNK_TOKENS = 256
/** Tokens, padding included, that all rows of a read may have together. */
const READ_TOKENS = 1024

/** A request that may join the batch. */
export interface Joining {
  readonly id: number
  readonly promptTokens: number
  /** Tokens of prompt and answer at most. */
  readonly neededTokens: number
  readonly start: () => RunningAnswer
  readonly resolve: (generation: Generation) => void
  readonly reject: (error: unknown) => void
}

interface Row extends Joining {
  readonly answer: RunningAnswer
  /** True when it was cancelled or has got its answer: it leaves after the read. */
  isDone: boolean
}

/** The answers that are being written: row i of the list is row i of the model's cache. */
export class AnswerBatch {
  readonly #model: CachedModel
  readonly #settings: EngineSettings
  readonly #rows: Row[] = []
  #newTokens = 0

  constructor(model: CachedModel, settings: EngineSettings) {
    this.#model = model
    this.#settings = settings
  }

  get size(): number {
    return this.#rows.length
  }

  /** Tokens of all answers that are complete. */
  get newTokens(): number {
    return this.#newTokens
  }

  /** Returns the number of waiting requests, from the first on, that fit into the rows, memory and work of one turn. */
  countRoom(waiting: readonly Joining[]): number {
    const perToken = cacheBytesPerToken(this.#model.config)
    let longest = Math.max(0, ...this.#rows.map(({ neededTokens }) => neededTokens))
    let promptTokens = 0
    for (const [count, { neededTokens, promptTokens: added }] of waiting.entries()) {
      const rows = this.#rows.length + count
      longest = Math.max(longest, neededTokens)
      const isOverfull = rows > 0 && (rows + 1) * longest * perToken > this.#settings.cacheBytes
      if (rows >= this.#settings.maxBatch || promptTokens > READ_TOKENS || isOverfull) return count
      promptTokens += added
    }
    return waiting.length
  }

  /** Lets requests in: reads their prompts and writes the first token of each. */
  async join(requests: readonly Joining[]): Promise<void> {
    const first = this.#rows.length
    // Prompts of like length are read together with little padding.
    for (const request of requests.toSorted((a, b) => a.promptTokens - b.promptTokens)) {
      this.#rows.push({ ...request, answer: request.start(), isDone: false })
      this.#model.cache.addRow()
    }
    for (let start = first; start < this.#rows.length;) {
      const end = this.#endOfGroup(start)
      await this.#readPrompts(start, end)
      start = end
    }
    this.#removeDone()
  }

  /** Reads the last tokens of all answers and writes the next ones. */
  async advance(): Promise<void> {
    if (this.#rows.length > 0) await this.#read(0, this.#rows.length)
    this.#removeDone()
  }

  /** Cancels an answer; its place in the cache is freed after the current read. */
  cancel(id: number): void {
    const row = this.#rows.find((each) => each.id === id)
    if (row !== undefined) row.isDone = true
  }

  /** The log-probability of each token after those before it, null for the first; in a row that leaves again. */
  async score(ids: readonly number[], adapter: PreparedAdapter | null): Promise<readonly (number | null)[]> {
    return await scoreTokens(this.#model, ids, adapter)
  }

  /** Scores continuations of a prompt, in rows that leave again. */
  async scoreContinuations(task: ContinuationTask): Promise<readonly ContinuationScore[]> {
    return await scoreContinuations(this.#model, this.#settings, task)
  }

  /** Rejects all answers: after a fault the content of every row is untrusted. */
  fail(error: unknown): void {
    for (const row of this.#rows) {
      if (!row.isDone) row.reject(error)
      row.isDone = true
    }
    this.#removeDone()
  }

  #endOfGroup(start: number): number {
    const shortest = this.#rows[start]?.promptTokens ?? 0
    let end = start + 1
    for (; end < this.#rows.length; end++) {
      const length = this.#rows[end]?.promptTokens ?? 0
      if (length > shortest * 1.5 + 8 || (end + 1 - start) * length > READ_TOKENS) break
    }
    return end
  }

  async #readPrompts(start: number, end: number): Promise<void> {
    const answers = this.#rows.slice(start, end).map(({ answer }) => answer)
    while (answers.some(({ unread }) => unread.length > CHUNK_TOKENS)) {
      // The last piece is left for the read that returns logits.
      const pieces = answers.map(({ unread }) => (unread.length > CHUNK_TOKENS ? unread.slice(0, CHUNK_TOKENS) : []))
      await this.#model.read(
        start,
        answers.map(({ input, experts }, index) => ({
          ids: pieces[index] ?? [],
          adapter: input.adapter,
          logitsAt: [],
          experts,
        })),
      )
      for (const [index, answer] of answers.entries()) answer.unread = answer.unread.slice(pieces[index]?.length)
    }
    await this.#read(start, end - start)
  }

  /** Reads the unread tokens of `count` rows and adds their next tokens. */
  async #read(start: number, count: number): Promise<void> {
    const rows = this.#rows.slice(start, start + count)
    const logits = await this.#model.read(
      start,
      rows.map(({ answer: { unread, input, experts } }) => ({
        ids: unread,
        adapter: input.adapter,
        logitsAt: [unread.length - 1],
        experts,
      })),
    )
    for (const [index, row] of rows.entries()) {
      const values = logits[index]
      if (values !== undefined && !row.isDone) row.isDone = this.#advance(row, values)
    }
  }

  /** Adds the next token of a row; true when the row has got its answer. */
  #advance(row: Row, logits: Float32Array): boolean {
    try {
      const finish = row.answer.advance(logits)
      if (finish === null) return false
      const generation = row.answer.result(finish, performance.now())
      this.#newTokens += generation.newTokens
      row.resolve(generation)
    } catch (error) {
      row.reject(error)
    }
    return true
  }

  #removeDone(): void {
    for (let index = this.#rows.length - 1; index >= 0; index--) {
      if (this.#rows[index]?.isDone !== true) continue
      this.#model.cache.removeRow(index)
      const last = this.#rows.pop()
      if (last !== undefined && index < this.#rows.length) this.#rows[index] = last
    }
  }
}
