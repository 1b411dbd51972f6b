import { setTimeout as delay } from 'node:timers/promises'
import { foldParts, SAMPLED_KINDS, type PartOutput, type SamplePart } from '../sample/sample-part.ts'
import { needsComposite } from '../sample/composite/needs-composite.ts'
import type { SampleInput, SampleOutput } from '../stage-types.ts'
import type { ComputeCall, ComputePool } from './pool.ts'

/** Further cores for a stage that has one. */
export interface Helpers {
  /** Cores that may help at once. */
  readonly count: number
  /**
   * Does one piece of work on a further core when it is this caller's turn. Rejects when no core can be had; not begun
   * when `signal` is aborted first.
   */
  readonly aside: (work: () => Promise<void>, signal: AbortSignal) => Promise<void>
}

/** Time that the first search has before others begin beside it: most end sooner, and many without any candidate. */
const ALONE_MS = 200

/**
 * Runs the stage `k-sample` in a pool: the caller's own core takes one part after the other, and further cores help as
 * their turns come, so a stage without any help ends too. The result is the same however many help. Folds that began
 * before the fit on all rows was done are dropped when it has no candidate. Parts in `known` were made
 * from the same input and are not repeated. Throws as `sampleCandidates`.
 */
export async function sampleInParts(
  pool: Pick<ComputePool, 'splitSample' | 'samplePart' | 'joinSample'>,
  input: SampleInput,
  call: ComputeCall,
  helpers: Helpers,
  known: readonly PartOutput[] = [],
): Promise<SampleOutput> {
  const startedAt = performance.now()
  const splits = await pool.splitSample(input, call)
  const run = { input, split: splits.split }
  const parts = new Parts(pool, run, SAMPLED_KINDS, call, known)
  await parts.run(helpers)
  const outputs = [...parts.outputs]
  if (needsComposite(input, splits.split, outputs)) {
    const leaves = new Parts(pool, run, ['composite'], call)
    await leaves.run(helpers)
    outputs.push(...leaves.outputs)
  }
  const wallMs = performance.now() - startedAt
  return await pool.joinSample({ input, splits, parts: outputs, wallMs }, call)
}

function isSamePart(a: SamplePart, b: SamplePart): boolean {
  return a.kind === b.kind && a.fold === b.fold
}

type PartRun = Pick<Parameters<ComputePool['samplePart']>[0], 'input' | 'split'>

/** The parts of one stage: those that wait, those that run, and the results of the others. */
class Parts {
  readonly outputs: PartOutput[] = []
  readonly #pool: Pick<ComputePool, 'samplePart'>
  readonly #run: PartRun
  readonly #call: ComputeCall
  readonly #waiting: SamplePart[]
  readonly #total: number
  /** Aborted for a kind whose fit on all rows has no candidate. */
  readonly #hopeless: ReadonlyMap<SamplePart['kind'], AbortController>
  readonly #failed = new AbortController()
  readonly #empty = new AbortController()
  readonly #firstDone = Promise.withResolvers<void>()
  #shown = 0

  constructor(
    pool: Pick<ComputePool, 'samplePart'>,
    run: PartRun,
    kinds: readonly SamplePart['kind'][],
    call: ComputeCall,
    known: readonly PartOutput[] = [],
  ) {
    this.#pool = pool
    this.#run = run
    this.#call = call
    this.#hopeless = new Map(kinds.map((kind) => [kind, new AbortController()]))
    const folds = [...(run.split.folds ?? []).keys()]
    const all: readonly SamplePart[] = [
      ...kinds.map((kind) => ({ kind, fold: null })),
      ...kinds.flatMap((kind) => folds.map((fold) => ({ kind, fold }))),
    ]
    this.outputs.push(...known)
    this.#waiting = all.filter((part) => !known.some((one) => isSamePart(one.part, part)))
    this.#total = this.#waiting.length
    for (const output of known) this.#endHopeless(output)
  }

  /** Runs all parts. Rejects with the first failure, once every part has ended. */
  async run(helpers: Helpers): Promise<void> {
    const count = Math.min(helpers.count, this.#total - 1)
    const helping = Array.from({ length: count }, async () => await this.#help(helpers))
    await this.#work().catch(() => undefined)
    await Promise.all(helping)
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason
  }

  /** Takes part after part on the caller's core. */
  async #work(): Promise<void> {
    for (let part = this.#take(); part !== undefined; part = this.#take()) await this.#runPart(part)
  }

  /** Takes parts on further cores, each in a separate turn. */
  async #help({ aside }: Helpers): Promise<void> {
    await Promise.race([this.#firstDone.promise, delay(ALONE_MS, undefined, { ref: false })])
    while (this.#waiting.length > 0 && !this.#failed.signal.aborted) {
      const turn = aside(async () => {
        const part = this.#take()
        if (part !== undefined) await this.#runPart(part)
      }, this.#empty.signal)
      // Without a further core the caller's own does the work.
      if (
        await turn.then(
          () => false,
          () => true,
        )
      )
        return
    }
  }

  #take(): SamplePart | undefined {
    const part = this.#failed.signal.aborted ? undefined : this.#waiting.shift()
    if (this.#waiting.length === 0) this.#empty.abort()
    return part
  }

  async #runPart(part: SamplePart): Promise<void> {
    const hopeless = this.#hopeless.get(part.kind)?.signal
    const signals = [this.#call.signal, this.#failed.signal, part.fold === null ? undefined : hopeless]
    try {
      const output = await this.#pool.samplePart(
        { ...this.#run, part },
        {
          ...this.#call,
          signal: AbortSignal.any(signals.filter((signal) => signal !== undefined)),
          onProgress: ({ step, done }) => this.#show(step, done / 100),
        },
      )
      this.outputs.push(output)
      this.#endHopeless(output)
    } catch (error) {
      if (part.fold !== null && hopeless?.aborted === true) return
      this.#failed.abort(error)
      this.#empty.abort()
      throw error
    } finally {
      this.#firstDone.resolve()
    }
  }

  /** Drops the folds of a kind whose fit on all rows has no candidate. */
  #endHopeless(output: PartOutput): void {
    const { kind, fold } = output.part
    if (fold === null && foldParts(this.#run.split, output).length === 0) this.#dropFolds(kind)
  }

  #dropFolds(kind: SamplePart['kind']): void {
    const others = this.#waiting.filter((part) => part.kind !== kind || part.fold === null)
    this.#waiting.splice(0, this.#waiting.length, ...others)
    this.#hopeless.get(kind)?.abort()
    if (this.#waiting.length === 0) this.#empty.abort()
  }

  /** Reports the parts that are done and the share of the one that has just moved. Never falls. */
  #show(step: string, share: number): void {
    const left = this.#waiting.length
    const started = this.#total - left
    this.#shown = Math.max(this.#shown, Math.floor((100 * Math.max(0, started - 1 + share)) / this.#total))
    this.#call.onProgress?.({ stage: 'k-sample', step, done: Math.min(99, this.#shown), total: 100 })
  }
}
