import { Artifact } from './artifact.ts'
import { SvcError } from './errors.ts'
import * as api from './generated/sdk.gen.ts'
import type { CompileAnswer, GetCompileResponse } from './generated/types.gen.ts'
import type { Svc } from './svc.ts'

/** A job in full, as `GET /v1/compile/{id}` answers. */
export type JobView = GetCompileResponse
/** One event of the log of a job. */
export interface JobEvent {
  /** `hello`, `step.start`, `progress`, `metric`, `cost`, `log`, `step.end`, `done`, `gated` or `error`. */
  readonly kind: string
  readonly [name: string]: unknown
}

/** Options of a wait. */
export interface WaitOptions {
  readonly onEvent?: (event: JobEvent) => void
  readonly signal?: AbortSignal
}

/** A compile that ended without a signed artifact. `job` says why. */
export class CompileError extends SvcError {
  readonly job: JobView

  constructor(job: JobView) {
    super(job.error ?? `the compile is ${job.status}`, { code: job.error_code ?? job.status, status: 200 })
    this.job = job
  }
}

/** Kinds that end the log; `gated` ends it unless the job is accepted. */
const LAST_KINDS: ReadonlySet<string> = new Set(['done', 'error'])

/** A job that is being started: the job once the service has it, or its artifact once it is signed. */
export interface StartedJob extends Promise<Job> {
  wait(options?: WaitOptions): Promise<Artifact>
}

/** Adds `wait` to the promise of a job. */
export function toStartedJob(job: Promise<Job>): StartedJob {
  return Object.assign(job, { wait: async (options?: WaitOptions) => await (await job).wait(options) })
}

/** A compile. */
export class Job {
  readonly #svc: Svc
  readonly id: string

  constructor(svc: Svc, id: string) {
    this.#svc = svc
    this.id = id
  }

  /** Returns the job in full. */
  async get(): Promise<JobView> {
    return (await api.getCompile({ client: this.#svc.client, throwOnError: true, path: { id: this.id } })).data
  }

  /** Ends the job. */
  async cancel(): Promise<void> {
    await api.cancelCompile({ client: this.#svc.client, throwOnError: true, path: { id: this.id } })
  }

  /** Answers a question of the compile. */
  async answer(question: number, answer: CompileAnswer['answer']): Promise<void> {
    await api.answerCompileQuestion({
      client: this.#svc.client,
      throwOnError: true,
      path: { id: this.id },
      body: { question, answer },
      headers: { 'idempotency-key': crypto.randomUUID() },
    })
  }

  /** The events from the first to the last, each once. A lost connection is opened again after the last event. */
  async *events(signal?: AbortSignal): AsyncGenerator<JobEvent> {
    let lastId: string | undefined
    for (;;) {
      const seen: JobEvent[] = []
      const { stream } = await api.streamCompile({
        client: this.#svc.client,
        path: { id: this.id },
        sseMaxRetryAttempts: 1,
        ...(signal !== undefined && { signal }),
        ...(lastId !== undefined && { headers: { 'Last-Event-ID': lastId } }),
        onSseEvent: ({ event, id, data }) => {
          if (id !== undefined && id === lastId) return
          lastId = id ?? lastId
          seen.push({ ...(data as unknown as object), kind: event ?? 'message' })
        },
      })
      for await (const _ of stream) {
        for (const event of seen.splice(0)) {
          yield event
          if (event.kind === 'gated' ? !(await this.#isBeingSigned()) : LAST_KINDS.has(event.kind)) return
        }
      }
      signal?.throwIfAborted()
      // The stream broke off: this throws when the service cannot be reached or refuses.
      await this.get()
    }
  }

  /** Returns whether a gated job is accepted and not yet signed: more events follow. */
  async #isBeingSigned(): Promise<boolean> {
    return (await this.get()).accepted?.state === 'pending'
  }

  /** Waits for the signed artifact, of an accepted job too. Throws `CompileError` when there is none. */
  async wait({ onEvent, signal }: WaitOptions = {}): Promise<Artifact> {
    for await (const event of this.events(signal)) onEvent?.(event)
    const job = await this.get()
    if (job.status !== 'completed' || job.version_id === undefined) throw new CompileError(job)
    return new Artifact(this.#svc, { version_id: job.version_id }, job)
  }
}
