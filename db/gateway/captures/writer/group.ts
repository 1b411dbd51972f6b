import type { NewCapture } from '../../../../core/gateway/captures/capture.ts'

interface Member {
  readonly capture: NewCapture
  readonly bytes: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Captures of one commit at most. */
const MOST_CAPTURES = 500
const MOST_BYTES = 8 * 1024 * 1024
/** Time in which the first capture of a group waits for others, milliseconds. */
const LINGER_MS = 3

/** Collects captures that are awaited into groups; one group is committed at a time, while the next one gathers. */
export class CaptureGroup {
  readonly #commit: (captures: readonly NewCapture[]) => Promise<void>
  readonly #maxBytes: number
  #members: Member[] = []
  #bytes = 0
  #running: Promise<void> | undefined

  /** `maxBytes` bounds what waits in memory. */
  constructor(options: {
    readonly commit: (captures: readonly NewCapture[]) => Promise<void>
    readonly maxBytes: number
  }) {
    this.#commit = options.commit
    this.#maxBytes = options.maxBytes
  }

  /** Returns a promise that is resolved by the commit of the capture and rejected by its failure; null when no more may wait. */
  add(capture: NewCapture, bytes: number): Promise<void> | null {
    if (this.#bytes + bytes > this.#maxBytes) return null
    this.#bytes += bytes
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#members.push({ capture, bytes, resolve, reject })
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return promise
  }

  /** Resolves when nothing waits any more. */
  async settle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, LINGER_MS))
    while (this.#members.length > 0) {
      const group = this.#take()
      try {
        await this.#commit(group.map(({ capture }) => capture))
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(error)
      } finally {
        for (const { bytes } of group) this.#bytes -= bytes
      }
    }
  }

  #take(): readonly Member[] {
    let bytes = 0
    let count = 0
    for (const member of this.#members) {
      if (count === MOST_CAPTURES || (count > 0 && bytes + member.bytes > MOST_BYTES)) break
      bytes += member.bytes
      count++
    }
    return this.#members.splice(0, count)
  }
}

/** Splits captures into groups of one commit each. */
export function groupsOf(captures: readonly NewCapture[]): readonly (readonly NewCapture[])[] {
  return Array.from({ length: Math.ceil(captures.length / MOST_CAPTURES) }, (_, i) =>
    captures.slice(i * MOST_CAPTURES, (i + 1) * MOST_CAPTURES),
  )
}
