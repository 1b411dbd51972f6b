import { writeFile } from 'node:fs/promises'
import { errorByCode, ServerError, SvcError, UnreachableError } from './errors.ts'
import * as api from './generated/sdk.gen.ts'
import type { RunResponse } from './generated/types.gen.ts'
import type { JobView } from './job.ts'
import type { Svc } from './svc.ts'

/** A row that was answered. */
export interface AnsweredRow {
  /** Counted from 1. */
  readonly row: number
  readonly output: unknown
  readonly abstained: boolean
  readonly confidence: number | null
  readonly unlike_examples: boolean | null
  readonly checks: unknown
  readonly input_hash: string
}

/** A row that was not answered. */
export interface FailedRow {
  readonly row: number
  readonly error: { readonly code: string; readonly message: string }
}

/** A row of a batch. */
export type BatchRow = AnsweredRow | FailedRow

/** A target of runs: the newest version of a concept, or one version. */
export type RunTarget = { readonly concept_id: string } | { readonly version_id: string }

/** Repetitions of a batch that broke off without another row. */
const MOST_STALLS = 4

/** A compiled artifact that the service runs. */
export class Artifact {
  readonly #svc: Svc
  readonly target: RunTarget
  /** The job that made it, when it comes from one. */
  readonly job: JobView | undefined

  constructor(svc: Svc, target: RunTarget, job?: JobView) {
    this.#svc = svc
    this.target = target
    this.job = job
  }

  /** Runs one input. */
  async run(input: unknown): Promise<RunResponse> {
    const { data } = await api.run({
      client: this.#svc.client,
      throwOnError: true,
      body: { ...this.target, input },
      headers: { 'idempotency-key': crypto.randomUUID() },
    })
    return data
  }

  /**
   * Runs any number of inputs, and yields a row for each, in their order. A lost connection is continued where it was,
   * without a second charge. Throws when the whole batch stops, for example `QuotaError`.
   */
  async *runMany(inputs: Iterable<unknown>): AsyncGenerator<BatchRow> {
    const lines = [...inputs].map((input) => `${JSON.stringify(input) ?? 'null'}\n`)
    if (lines.length === 0) return
    const idempotencyKey = crypto.randomUUID()
    let from = 1
    for (let stalls = 0; ; stalls++) {
      const first = from
      try {
        for await (const line of this.#batchLines(lines, from, idempotencyKey)) {
          if ('batch' in line) return
          if ('resume_row' in line) throw stopped(line)
          from = line.row + 1
          yield line
        }
        throw new UnreachableError('the answer broke off', { code: 'unreachable', status: 0 })
      } catch (error) {
        const isBroken =
          error instanceof UnreachableError || error instanceof ServerError || !(error instanceof SvcError)
        if (from > first) stalls = 0
        if (!isBroken || stalls >= MOST_STALLS) throw error
      }
    }
  }

  async *#batchLines(lines: readonly string[], from: number, idempotencyKey: string): AsyncGenerator<BatchLine> {
    const body = new FormData()
    body.append('spec', JSON.stringify({ ...this.target, format: 'jsonl', bare: true, from_row: from }))
    body.append('file', new Blob([...lines], { type: 'application/jsonl' }), 'inputs.jsonl')
    const response = await this.#svc.send('POST', '/v1/run/batch', { body, idempotencyKey })
    let rest = ''
    for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const parts = `${rest}${text}`.split('\n')
      rest = parts.pop() ?? ''
      for (const line of parts) yield JSON.parse(line) as BatchLine
    }
  }

  /** Downloads the signed archive. Only for an artifact that a job of `wait` gave. */
  async download(path: string): Promise<void> {
    if (this.job === undefined) throw new TypeError('only an artifact of a job can be downloaded: svc.job(id).wait()')
    const response = await this.#svc.send('GET', `/v1/compile/${encodeURIComponent(this.job.job_id)}/.svc`)
    await writeFile(path, new Uint8Array(await response.arrayBuffer()))
  }
}

type BatchLine = BatchRow | { readonly batch: unknown } | StoppedLine

interface StoppedLine extends FailedRow {
  readonly resume_row: number
}

function stopped({ error, resume_row: row }: StoppedLine): SvcError {
  const message = `${error.message}; resume at row ${row}`
  return errorByCode(message, { code: error.code, status: 200, details: { row } })
}
