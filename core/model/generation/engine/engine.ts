import { setImmediate as nextTurn } from 'node:timers/promises'
import { KERNEL_ERRORS, type DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import type { PreparedAdapter } from '../../llama/inference/adapter-rows.ts'
import { CachedModel } from '../../llama/inference/cached-model.ts'
import type { ModelWeights } from '../../llama/inference/graph-inputs.ts'
import { ConstraintCompiler, type EncodedConstraint } from '../constraints/compile-constraint.ts'
import type { TokenBytes } from '../constraints/token-trie.ts'
import type { Generation, GenerationOptions } from '../options.ts'
import { AnswerBatch, type Joining } from './answer-batch.ts'
import { answerTokens, checkTokens, type EngineSettings } from './limits.ts'
import { RunningAnswer } from './running-answer.ts'
import type { ContinuationScore, ContinuationTask } from './score-tokens.ts'

/** Input of the engine: one request. */
export interface EngineRequest {
  readonly promptIds: readonly number[]
  readonly adapter: PreparedAdapter | null
  readonly options: GenerationOptions
  readonly constraint: EncodedConstraint | null
}

/** Callbacks of a request; exactly one is called, unless it is cancelled. */
export interface Answering<T> {
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

/** Scores to be computed. */
interface Scoring {
  readonly id: number
  /** Tokens that are read for them. */
  readonly tokens: number
  /** Computes and answers. */
  readonly run: () => Promise<void>
  readonly reject: (error: unknown) => void
}

/** Past and pending work of an engine. */
export interface EngineStats {
  readonly active: number
  readonly waiting: number
  readonly promptTokens: number
  /** Of complete answers. */
  readonly newTokens: number
  /** Time with work under way; new tokens divided by it are the throughput. */
  readonly busyMs: number
}

/**
 * Generates answers with one base on the calling thread. Requests join and leave between two tokens: each turn reads
 * the prompts of new requests, then one token of every answer.
 */
export class GenerationEngine {
  readonly #model: CachedModel
  readonly #batch: AnswerBatch
  readonly #vocabulary: TokenBytes
  readonly #compiler: ConstraintCompiler
  readonly #settings: EngineSettings
  readonly #waiting: Joining[] = []
  readonly #scoring: Scoring[] = []
  #nextId = 0
  #isRunning = false
  #running: Promise<void> = Promise.resolve()
  #closing: DomainError | null = null
  #promptTokens = 0
  #busyMs = 0

  constructor(base: ModelWeights, vocabulary: TokenBytes, settings: EngineSettings) {
    this.#model = new CachedModel(base, settings.threads)
    this.#batch = new AnswerBatch(this.#model, settings)
    this.#vocabulary = vocabulary
    this.#compiler = new ConstraintCompiler(vocabulary)
    this.#settings = settings
  }

  /**
   * Adds a request and answers with its number. Throws `model_busy` when too many wait, `context_exceeded` for a prompt
   * that leaves no room for an answer, `validation_failed` for its ids, `invalid_constraint`.
   */
  generate(request: EngineRequest, answering: Answering<Generation>): number {
    this.#refuseOverfull()
    const { promptIds, adapter, options } = request
    const { config } = this.#model
    const maxTokens = answerTokens(config, this.#settings, promptIds, options, request.constraint)
    const constraint = request.constraint === null ? null : this.#compiler.compile(request.constraint)
    const input = {
      promptIds,
      adapter,
      options,
      constraint,
      maxTokens,
      endTokens: config.eosTokenIds,
      vocabulary: this.#vocabulary,
      askedAtMs: performance.now(),
    }
    const id = this.#nextId++
    this.#waiting.push({
      id,
      promptTokens: promptIds.length,
      neededTokens: promptIds.length + maxTokens,
      start: () => new RunningAnswer(input, performance.now()),
      ...answering,
    })
    this.#wake()
    return id
  }

  /** Adds a request for the log-probability of each token after those before it; null for the first. Throws as `generate`. */
  score(
    ids: readonly number[],
    adapter: PreparedAdapter | null,
    answering: Answering<readonly (number | null)[]>,
  ): number {
    this.#refuseOverfull()
    checkTokens(this.#model.config, this.#settings, ids, 0)
    return this.#addScoring(ids.length, async () => await this.#batch.score(ids, adapter), answering)
  }

  /** Adds a request for the scores of continuations of a prompt. Throws as `generate`, and `validation_failed` for an empty one. */
  scoreContinuations(task: ContinuationTask, answering: Answering<readonly ContinuationScore[]>): number {
    this.#refuseOverfull()
    const { promptIds, continuations } = task
    let tokens = promptIds.length
    for (const ids of continuations) {
      if (ids.length === 0) throw KERNEL_ERRORS.validation_failed('a continuation has no tokens')
      // The last token is scored and not read.
      checkTokens(this.#model.config, this.#settings, [...promptIds, ...ids.slice(0, -1)], 0)
      tokens += ids.length
    }
    return this.#addScoring(tokens, async () => await this.#batch.scoreContinuations(task), answering)
  }

  /** Forgets a request, whose callbacks are then not called. */
  cancel(id: number): void {
    for (const queue of [this.#waiting, this.#scoring]) {
      const at = queue.findIndex((each) => each.id === id)
      if (at >= 0) queue.splice(at, 1)
    }
    this.#batch.cancel(id)
  }

  stats(): EngineStats {
    return {
      active: this.#batch.size,
      waiting: this.#waiting.length + this.#scoring.length,
      promptTokens: this.#promptTokens,
      newTokens: this.#batch.newTokens,
      busyMs: this.#busyMs,
    }
  }

  /** Rejects every waiting or running request with `reason`, after the current read. */
  async close(reason: DomainError): Promise<void> {
    this.#closing = reason
    for (const { reject } of [...this.#waiting.splice(0), ...this.#scoring.splice(0)]) reject(reason)
    await this.#running
    await this.#model.close()
  }

  #addScoring<T>(tokens: number, compute: () => Promise<T>, { resolve, reject }: Answering<T>): number {
    const id = this.#nextId++
    const run = async (): Promise<void> => {
      try {
        resolve(await compute())
      } catch (error) {
        reject(error)
      }
    }
    this.#scoring.push({ id, tokens, run, reject })
    this.#wake()
    return id
  }

  #refuseOverfull(): void {
    if (this.#closing !== null) throw this.#closing
    const waiting = this.#waiting.length + this.#scoring.length
    if (waiting < this.#settings.maxQueue) return
    throw MODEL_ERRORS.model_busy(`${waiting} requests wait for this base already`, {
      details: { waiting },
      retryAfterS: 1,
    })
  }

  #wake(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    // Requests that come in the same turn of the event loop are read together.
    await nextTurn()
    while (this.#batch.size + this.#waiting.length + this.#scoring.length > 0) {
      const startedMs = performance.now()
      try {
        if (this.#closing !== null) throw this.#closing
        await this.#turn()
      } catch (error) {
        this.#batch.fail(error)
      }
      this.#busyMs += performance.now() - startedMs
    }
    this.#isRunning = false
    this.#model.forgetAdapters()
  }

  async #turn(): Promise<void> {
    const scoring = this.#scoring.shift()
    if (scoring !== undefined) {
      this.#promptTokens += scoring.tokens
      await scoring.run()
    }
    const joining = this.#waiting.splice(0, this.#batch.countRoom(this.#waiting))
    for (const { promptTokens } of joining) this.#promptTokens += promptTokens
    if (joining.length > 0) await this.#batch.join(joining)
    await this.#batch.advance()
  }
}
