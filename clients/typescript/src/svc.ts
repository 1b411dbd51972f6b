import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { Artifact } from './artifact.ts'
import { createClient, createConfig, type Client } from './generated/client/index.ts'
import * as api from './generated/sdk.gen.ts'
import type { CompileRequest, TableMapping } from './generated/types.gen.ts'
import { Job, toStartedJob, type StartedJob } from './job.ts'
import { createRetryingFetch } from './retrying-fetch.ts'
import { verify, type PublicKey, type Verification } from './verify.ts'

/** Settings of a client. */
export interface SvcOptions {
  /** Address of the service; `SVC_URL`, else `http://127.0.0.1:8080`. */
  readonly url?: string
  /** Key of the tenant; `SVC_API_KEY`. */
  readonly apiKey?: string
  /** Repetitions of a call after a transient failure; 4. */
  readonly retries?: number
  /** Longest pause before a repetition, milliseconds; 30,000. */
  readonly maxPauseMs?: number
}

/** An example: an input with its output, in either form. */
export type Example =
  | readonly [input: unknown, output: unknown]
  | {
      readonly input: unknown
      readonly output?: unknown
      readonly kind?: 'positive' | 'test' | 'negative' | 'unlabelled'
    }

/** Options of a compile: the fields of `POST /v1/compile` without its examples. `task` says in words what is to be done. */
export type CompileOptions = Partial<Omit<CompileRequest, 'examples' | 'mode'>>

/** Options of the compile of a file. */
export type CompileFileOptions = CompileOptions & {
  /** Which columns of a table are the inputs and which is the output. */
  readonly mapping?: TableMapping
}

/** The task of a compile that names none. */
const TASK = 'Answer as the examples do'

/**
 * A service, with one key. Calls throw `SvcError` and its kinds. Reads, and writes that the service knows by an
 * `Idempotency-Key`, are repeated after transient failures.
 */
export class Svc {
  readonly url: string
  /** The generated client, for every route that has no method here: `api.listKeys({ client: svc.client })`. */
  readonly client: Client
  readonly #credentials: Readonly<Record<string, string>>
  #keys: Promise<readonly PublicKey[]> | undefined

  constructor(options: SvcOptions = {}) {
    this.url = (options.url ?? process.env['SVC_URL'] ?? 'http://127.0.0.1:8080').replace(/\/+$/, '')
    const apiKey = options.apiKey ?? process.env['SVC_API_KEY']
    this.#credentials = apiKey === undefined ? {} : { 'X-API-Key': apiKey }
    this.client = createClient(
      createConfig({
        baseUrl: this.url,
        throwOnError: true,
        fetch: createRetryingFetch({ retries: options.retries ?? 4, maxPauseMs: options.maxPauseMs ?? 30_000 }),
        headers: this.#credentials,
      }),
    )
  }

  /** Starts a compile of examples. */
  compile(examples: Iterable<Example>, options: CompileOptions = {}): StartedJob {
    const rows = [...examples].map((example) =>
      'input' in example ? example : { input: example[0], output: example[1] },
    )
    const body = { task: TASK, ...options, mode: 'async' as const, examples: rows }
    return toStartedJob(
      api
        .createCompile({
          client: this.client,
          throwOnError: true,
          body,
          headers: { 'idempotency-key': crypto.randomUUID() },
        })
        .then(({ data }) => new Job(this, data.job_id)),
    )
  }

  /** Starts a compile of a file: CSV, TSV, a workbook, JSON or JSON lines. */
  compileFile(path: string, options: CompileFileOptions = {}): StartedJob {
    return toStartedJob(this.#upload(path, options))
  }

  async #upload(path: string, options: CompileFileOptions): Promise<Job> {
    const body = new FormData()
    body.append('spec', JSON.stringify({ task: TASK, ...options, mode: 'async' }))
    body.append('file', await openAsBlob(path), basename(path))
    const response = await this.send('POST', '/v1/compile', { body, idempotencyKey: crypto.randomUUID() })
    const { job_id: id }: { job_id: string } = await response.json()
    return new Job(this, id)
  }

  /** Returns a job by its id. */
  job(id: string): Job {
    return new Job(this, id)
  }

  /** Returns the newest version of a concept. */
  concept(id: string): Artifact {
    return new Artifact(this, { concept_id: id })
  }

  /** Returns a version, which stays as it is. */
  version(id: string): Artifact {
    return new Artifact(this, { version_id: id })
  }

  /** Returns the public keys that this service signs with. */
  async keys(): Promise<readonly PublicKey[]> {
    this.#keys ??= api
      .getJwks({ client: this.client, throwOnError: true })
      .then(({ data }) => data.keys as readonly PublicKey[])
    return await this.#keys
  }

  /** Verifies that an archive is intact and signed by this service. */
  async verify(archive: string | Uint8Array): Promise<Verification> {
    return await verify(archive, { keys: await this.keys() })
  }

  /** Sends a call and returns its answer unread. Throws `SvcError`. */
  async send(
    method: string,
    path: string,
    call: { body?: BodyInit; idempotencyKey?: string; signal?: AbortSignal } = {},
  ): Promise<Response> {
    const { fetch: send = fetch } = this.client.getConfig()
    return await send(`${this.url}${path}`, {
      method,
      headers: {
        ...this.#credentials,
        ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
      },
      ...(call.body !== undefined && { body: call.body }),
      ...(call.signal !== undefined && { signal: call.signal }),
    })
  }
}
