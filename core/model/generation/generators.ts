import type { DomainError } from '../../kernel/errors.ts'
import { MODEL_ERRORS } from '../errors.ts'
import type { OpenedBase } from '../files/base-model.ts'
import { closed } from './engine/closed.ts'
import type { Generator, GeneratorChoices, GeneratorStats } from './generator.ts'
import { openGenerator } from './thread/thread-generator.ts'

/** Argument of a task: the opened base and its generator. */
export interface OpenGenerator {
  readonly base: OpenedBase
  readonly generator: Generator
}

/** The bases that a process has open. */
export interface Generators {
  /** Runs a task with a base, which is opened when it is not, and kept open while tasks use it. */
  use<T>(baseName: string, task: (open: OpenGenerator) => Promise<T>): Promise<T>
  /** By the name of the base. */
  stats(): Promise<ReadonlyMap<string, GeneratorStats>>
  close(): Promise<void>
}

/** Options for opening and closing bases. */
export interface GeneratorsOptions {
  /** Reads a base; called once however many tasks ask at the same time. */
  readonly open: (baseName: string) => Promise<OpenedBase>
  /** Time after its last task when a base is closed and its memory given up. */
  readonly idleCloseMs: number
  readonly generator?: GeneratorChoices
  /** Without it, bases are opened however much memory they take. */
  readonly memory?: MemoryBudget
}

/** Memory that all open bases may take together. */
export interface MemoryBudget {
  readonly budgetBytes: number
  /** Returns the bytes that an open base needs; called before it is opened. */
  readonly measure: (baseName: string) => Promise<number>
}

interface Held {
  /** Memory that is set aside for it. */
  reservedBytes: number
  readonly opening: Promise<OpenGenerator>
  /** Set when the base is open. */
  generator: Generator | undefined
  uses: number
  idle: NodeJS.Timeout | undefined
}

/**
 * Opens each base once for all tasks that use it, and closes it when it has been idle. A base for which there is no
 * memory is refused with `base_does_not_fit`, or with `model_busy` while others that are in use take it.
 */
export function openGenerators({ open, idleCloseMs, generator: settings, memory }: GeneratorsOptions): Generators {
  const held = new Map<string, Held>()
  let isClosed = false

  const hold = (baseName: string): Held => {
    const known = held.get(baseName)
    // A generator whose thread has stopped is of no further use.
    if (known !== undefined && known.generator?.hasEnded !== true) return known
    const opening = Promise.resolve().then(async () => {
      if (memory !== undefined) await reserve(baseName, made, memory)
      const base = await open(baseName)
      made.generator = openGenerator(base.model, base.tokenizer, settings)
      return { base, generator: made.generator }
    })
    const made: Held = { opening, reservedBytes: 0, generator: undefined, uses: 0, idle: undefined }
    held.set(baseName, made)
    return made
  }

  /** Sets memory aside for a base that is about to be opened; idle bases give theirs up for it. */
  const reserve = async (baseName: string, entry: Held, { budgetBytes, measure }: MemoryBudget): Promise<void> => {
    const neededBytes = await measure(baseName)
    const idle = [...held].filter(([, { generator, uses }]) => generator !== undefined && uses === 0)
    let availableBytes = budgetBytes
    for (const { reservedBytes } of held.values()) availableBytes -= reservedBytes
    const given: [string, Held][] = []
    for (const [name, other] of idle) {
      if (availableBytes >= neededBytes) break
      availableBytes += other.reservedBytes
      given.push([name, other])
    }
    if (availableBytes < neededBytes) throw noRoom(baseName, neededBytes, availableBytes, budgetBytes)
    entry.reservedBytes = neededBytes
    await Promise.all(given.map(async ([name, other]) => await release(name, other)))
  }

  const release = async (baseName: string, entry: Held): Promise<void> => {
    clearTimeout(entry.idle)
    if (held.get(baseName) === entry) held.delete(baseName)
    await entry.generator?.close()
  }

  return {
    async use(baseName, task) {
      if (isClosed) throw closed()
      const entry = hold(baseName)
      entry.uses++
      clearTimeout(entry.idle)
      try {
        return await task(await entry.opening)
      } catch (error) {
        // A base that could not be read may be there the next time.
        if (entry.generator === undefined && held.get(baseName) === entry) held.delete(baseName)
        throw error
      } finally {
        entry.uses--
        if (entry.uses === 0 && held.get(baseName) === entry) {
          entry.idle = setTimeout(() => void release(baseName, entry), idleCloseMs).unref()
        }
      }
    },
    async stats() {
      const stats = new Map<string, GeneratorStats>()
      for (const [baseName, { generator }] of held) {
        if (generator?.hasEnded === false) stats.set(baseName, await generator.stats())
      }
      return stats
    },
    async close() {
      isClosed = true
      for (const [baseName, entry] of held) {
        await entry.opening.catch(() => undefined)
        await release(baseName, entry)
      }
    },
  }
}

function noRoom(baseName: string, neededBytes: number, availableBytes: number, budgetBytes: number): DomainError {
  const details = {
    base: baseName,
    needed_bytes: neededBytes,
    available_bytes: availableBytes,
    budget_bytes: budgetBytes,
  }
  const needs = `${baseName} needs ${inMebibytes(neededBytes)} to run`
  if (neededBytes > budgetBytes) {
    return MODEL_ERRORS.base_does_not_fit(`${needs}, and bases may take ${inMebibytes(budgetBytes)} here`, {
      details,
    })
  }
  const others = `other bases leave ${inMebibytes(availableBytes)} of ${inMebibytes(budgetBytes)}`
  return MODEL_ERRORS.model_busy(`${needs}: ${others} while they are in use`, { details, retryAfterS: 5 })
}

function inMebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`
}
